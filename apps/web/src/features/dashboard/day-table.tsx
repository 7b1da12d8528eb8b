import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { formatDuration, useFormat } from "#lib/format/quota.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import type { DaySum } from "./usage.ts";

/** Usage per day, newest first. */
export function DayTable({ days, loading }: { days: DaySum[]; loading: boolean }) {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const phone = useIsPhone();
  const number = (text: ReactNode) => (loading ? <Skeleton height={12} width={36} ml="auto" my={3} /> : text);
  return (
    <Figures label={t("Usage by day")} amounts={{ spend: days.map((day) => day.quota) }}>
      <thead>
        <tr>
          <th scope="col">{t("Date")}</th>
          <th scope="col">{t("Requests")}</th>
          <th scope="col">{t("Charged")}</th>
          {phone ? null : (
            <>
              <th scope="col">{t("Input tokens")}</th>
              <th scope="col">{t("Output tokens")}</th>
              <th scope="col">{t("Avg. duration")}</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.date} data-quiet={day.requests === 0 || undefined}>
            <th scope="row">{loading ? <Skeleton height={12} width={76} my={3} /> : day.date}</th>
            <td>{number(format.whole(day.requests))}</td>
            <td>{number(<Amount column="spend" points={day.quota} />)}</td>
            {phone ? null : (
              <>
                <td>{number(format.whole(day.promptTokens))}</td>
                <td>{number(format.whole(day.completionTokens))}</td>
                <td>{number(day.successful > 0 ? formatDuration(day.requestTime / day.successful) : "–")}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </Figures>
  );
}
