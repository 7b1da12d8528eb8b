import { Text, Tooltip, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFormat } from "#lib/format/quota.ts";
import { selfQuery } from "#lib/session.ts";
import classes from "./console-header.module.css";

const refetchMs = 60_000;

/** The balance in dollars, with the points in a tooltip. Links to the top-up screen. */
export function BalanceLink() {
  const { t } = useTranslation();
  const format = useFormat();
  const self = useQuery({ ...selfQuery, refetchInterval: refetchMs }).data;
  if (!self) return null;
  const amount = format.usd(self.quota);
  return (
    <Tooltip label={t("Balance: {{points}} points", { points: format.whole(self.quota) })}>
      <UnstyledButton
        component={Link}
        to="/panel/topup"
        className={classes.balance}
        data-empty={self.quota <= 0 || undefined}
        aria-label={t("Balance {{amount}}", { amount })}
      >
        <Text span fz="sm" fw={600} className="tabular">
          {amount}
        </Text>
      </UnstyledButton>
    </Tooltip>
  );
}
