import { useTranslation } from "react-i18next";
import { formatDuration, useFormat } from "#lib/quota.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import type { DaySum } from "./usage.ts";
import classes from "./dashboard.module.css";

/** What each day used, newest first. */
export function DayTable({ days }: { days: DaySum[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const phone = useIsPhone();
  return (
    <div className={classes.dayTable} tabIndex={0} role="region" aria-label={t("Usage by day")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("Date")}</th>
            <th scope="col">{t("Requests")}</th>
            <th scope="col">{t("Spend")}</th>
            {phone ? null : (
              <>
                <th scope="col">{t("Input tokens")}</th>
                <th scope="col">{t("Output tokens")}</th>
                <th scope="col">{t("Avg. time")}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.date} data-quiet={day.requests === 0 || undefined}>
              <th scope="row">{day.date}</th>
              <td>{format.whole(day.requests)}</td>
              <td>{format.spend(day.quota)}</td>
              {phone ? null : (
                <>
                  <td>{format.whole(day.promptTokens)}</td>
                  <td>{format.whole(day.completionTokens)}</td>
                  <td>{day.requests > 0 ? formatDuration(day.requestTime / day.requests) : "–"}</td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
