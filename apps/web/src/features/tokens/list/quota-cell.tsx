import type { TokenRow } from "@gateway/shared/accounts/token";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { UsageBar } from "#ui/figures/usage-bar.tsx";
import classes from "#features/tokens/tokens.module.css";

/** The used amount, the remaining amount, and a progress bar. */
export function QuotaCell({ token, column }: { token: TokenRow; column: string }) {
  const { t } = useTranslation("tokens");
  const { used_quota: used, remain_quota: left, unlimited_quota: unlimited } = token;
  const share = used + left > 0 ? used / (used + left) : 1;
  return (
    <div className={classes.quota}>
      <div>
        <Amount column={column} points={used} />
        {" / "}
        <Text span fz="inherit" c={unlimited ? "dimmed" : undefined}>
          {unlimited ? t("No limit") : <Amount column={column} points={left} />}
        </Text>
      </div>
      {unlimited ? null : (
        <UsageBar used={used} share={share} tone={left <= 0 ? "bad" : share >= 0.9 ? "warn" : undefined} />
      )}
    </div>
  );
}
