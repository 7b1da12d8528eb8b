import type { Insights } from "@gateway/shared/usage/insights";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { logAddress } from "#lib/address/log-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import type { AnalyticsParams } from "./period.ts";
import classes from "./analytics.module.css";

/** Returns the filter of the log for the chosen user; empty for all users. */
export function logFilterOf(
  { user }: AnalyticsParams,
  insights: Insights | undefined,
): Record<string, string> {
  const username = insights?.flows.users[user];
  return username === undefined ? {} : { username };
}

type CallsLinkProps = {
  row: { name: string; requests: number };
  period: { start_timestamp: number; end_timestamp: number };
  filter: Record<string, string | number>;
};

/** The number of a row's calls, with a link to them in the log. */
export function CallsLink({ row, period, filter }: CallsLinkProps) {
  const { t } = useTranslation("analytics");
  const number = useFormat().whole(row.requests);
  return (
    <Link
      className={classes.link}
      to={logAddress(period.start_timestamp, filter, period.end_timestamp)}
      aria-label={t("{{number}} calls of {{name}}", { number, name: row.name })}
    >
      {number}
    </Link>
  );
}
