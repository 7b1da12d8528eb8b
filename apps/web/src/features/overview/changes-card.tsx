/** Models or customers whose charges changed most against the previous day. */
import type { Change as ChangeRow } from "@gateway/shared/usage/overview";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { logAddress } from "#lib/address/log-address.ts";
import { Section } from "#ui/page/page.tsx";
import { QuietLink } from "#ui/quiet-link.tsx";
import { AmountColumns } from "#ui/table/amount-columns.tsx";
import classes from "./overview.module.css";

type ChangesCardProps = { of: "models" | "users"; changes: ChangeRow[]; since: number };

export function ChangesCard({ of, changes, since }: ChangesCardProps) {
  const { t } = useTranslation("overview");
  return (
    <Section title={of === "models" ? t("Largest changes: models") : t("Largest changes: customers")}>
      {changes.length === 0 ? (
        <Text c="dimmed" fz="sm">
          {t("Nothing was charged in the last 48 hours.")}
        </Text>
      ) : (
        <AmountColumns amounts={{ all: changes.flatMap(({ now, before }) => [now, now - before]) }}>
          <ul className={classes.lines}>
            {changes.map(({ name, now, before, requests }) => (
              <li key={name} className={classes.line}>
                <span className={classes.named}>
                  <QuietLink
                    to={logAddress(since, of === "models" ? { model_name: name } : { username: name })}
                    translate="no"
                  >
                    {name || "–"}
                  </QuietLink>
                  <Text fz="xs" c="dimmed">
                    {t("{{count}} calls", { count: requests })}
                  </Text>
                </span>
                <span className={classes.amounts}>
                  <Amount column="all" points={now} />
                  <Text fz="xs" c="dimmed">
                    {now > before ? "+" : "−"}
                    <Amount column="all" points={Math.abs(now - before)} />
                  </Text>
                </span>
              </li>
            ))}
          </ul>
        </AmountColumns>
      )}
    </Section>
  );
}
