import type { PeriodUsage } from "@gateway/shared/usage/analytics";
import {
  averageDurationOf,
  averageFirstByteOf,
  callsOf,
  errorRateOf,
  shareOf,
} from "@gateway/shared/usage/figures";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { sumByName } from "./period.ts";

type UsageTableProps = {
  rows: readonly PeriodUsage[];
  title: string;
  /** Name of the row of usage without a name. */
  noName: string;
};

/** The period's sums, one row per member of the grouping. */
export function UsageTable({ rows, title, noName }: UsageTableProps) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const phone = useIsPhone();
  const time = (ms: number | null) => (ms === null || ms === 0 ? "–" : formatDuration(ms));
  const sums = sumByName(rows);
  const hasSearches = !phone && sums.some((sum) => sum.search_count > 0);
  return (
    <Figures
      label={title}
      amounts={{ spend: sums.map((sum) => sum.quota), searches: sums.map((sum) => sum.search_quota) }}
    >
      <thead>
        <tr>
          <th scope="col">{t("Name")}</th>
          <th scope="col">{t("Charged")}</th>
          <th scope="col">{t("Requests")}</th>
          {phone ? null : (
            <>
              <th scope="col">{t("Failed")}</th>
              <th scope="col">{t("Input tokens")}</th>
              <th scope="col">{t("Cached")}</th>
              <th scope="col">{t("Output tokens")}</th>
              <th scope="col">{t("Avg. duration")}</th>
              <th scope="col">{t("First byte")}</th>
            </>
          )}
          {hasSearches ? (
            <>
              <th scope="col">{t("Web searches")}</th>
              <th scope="col">{t("Cost of searches")}</th>
            </>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {sums.map((sum) => (
          <tr key={sum.name}>
            <th scope="row" title={sum.name}>
              {sum.name || noName}
            </th>
            <td>
              <Amount column="spend" points={sum.quota} />
            </td>
            <td>{format.whole(callsOf(sum))}</td>
            {phone ? null : (
              <>
                <td>{format.percent(errorRateOf(sum))}</td>
                <td>{format.short(sum.prompt_tokens)}</td>
                <td>{format.percent(shareOf(sum.cached_tokens, sum.prompt_tokens))}</td>
                <td>{format.short(sum.completion_tokens)}</td>
                <td>{time(averageDurationOf(sum))}</td>
                <td>{time(averageFirstByteOf(sum))}</td>
              </>
            )}
            {hasSearches ? (
              <>
                <td>{format.whole(sum.search_count)}</td>
                <td>
                  <Amount column="searches" points={sum.search_quota} />
                </td>
              </>
            ) : null}
          </tr>
        ))}
      </tbody>
    </Figures>
  );
}
