/** Models or customers whose charges changed most against the previous day. */
import type { Change as ChangeRow } from "@gateway/shared/usage/overview";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { logAddress } from "#lib/log-address.ts";
import { useFormat } from "#lib/quota.ts";
import { Section } from "#ui/page.tsx";
import classes from "./overview.module.css";

type ChangesCardProps = { of: "models" | "users"; changes: ChangeRow[]; since: number };

export function ChangesCard({ of, changes, since }: ChangesCardProps) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Section title={of === "models" ? t("Largest changes: models") : t("Largest changes: customers")}>
      {changes.length === 0 ? (
        <Text c="dimmed" fz="sm">
          {t("Nothing was charged in these two days.")}
        </Text>
      ) : (
        <ul className={classes.lines}>
          {changes.map(({ name, now, before, requests }) => (
            <li key={name} className={classes.line}>
              <span className={classes.named}>
                <Link
                  to={logAddress(since, of === "models" ? { model_name: name } : { username: name })}
                  className={classes.quietLink}
                  translate="no"
                >
                  {name || "–"}
                </Link>
                <Text fz="xs" c="dimmed">
                  {t("{{count}} calls", { count: requests })}
                </Text>
              </span>
              <span className={classes.amounts}>
                <span title={format.exact(now)}>{format.quota(now)}</span>
                <Text fz="xs" c="dimmed" title={format.exact(now - before)}>
                  {now > before ? "+" : "−"}
                  {format.quota(Math.abs(now - before))}
                </Text>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
