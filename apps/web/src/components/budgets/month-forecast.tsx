/** The spending of the month, the expected spending at its end, and the budget that the owner of the account set. */
import type { OwnBudget } from "@gateway/shared/accounts/budget";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { UsageBar } from "#ui/figures/usage-bar.tsx";

type MonthForecastProps = Pick<OwnBudget, "own" | "month">;

export function MonthForecast({ own, month }: MonthForecastProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { limit, warning, stops } = own;
  const share = limit === 0 ? 0 : month.used / limit;
  const warns = warning > 0 && share * 100 >= warning;
  const days = Math.round(month.averaged_days * 10) / 10;
  return (
    <div>
      <Facts columns={3}>
        <Fact label={t("Spent this month")}>
          <span title={format.exact(month.used)}>{format.quota(month.used)}</span>
        </Fact>
        <Fact label={t("Expected at the end of the month")}>
          <span title={format.exact(month.expected)}>{format.quota(month.expected)}</span>
        </Fact>
        <Fact label={t("Budget")}>
          {limit === 0 ? t("No budget") : <span title={format.exact(limit)}>{format.quota(limit)}</span>}
        </Fact>
      </Facts>
      {limit === 0 ? null : (
        <div style={{ marginTop: 12 }}>
          <UsageBar
            used={month.used}
            share={Math.min(1, share)}
            tone={share >= 1 && stops ? "bad" : warns ? "warn" : undefined}
          />
          <Text fz="sm" mt={6}>
            {budgetSentence(share, own)}
          </Text>
        </div>
      )}
      <Text fz="xs" c="dimmed" mt={10} title={formatTime(month.resets_at)}>
        {t(
          "Expected: the amount spent plus {{daily}} per day, the average of the last {{count}} days. Days until the month ends ({{zone}}): {{left}}.",
          {
            daily: format.quota(Math.round(month.daily_average)),
            count: days,
            left: Math.round(month.days_left * 10) / 10,
            zone: month.time_zone,
          },
        )}
      </Text>
    </div>
  );

  function budgetSentence(used: number, { stops: isHard }: OwnBudget["own"]): string {
    const percent = format.percent(used);
    if (used >= 1 && isHard)
      return t("The budget is used up. Calls are refused until the month ends, or until you raise it.");
    if (month.expected > limit)
      return isHard
        ? t("{{percent}} used. At this rate, calls are refused before the month ends.", { percent })
        : t("{{percent}} used. At this rate, the month ends above the budget.", { percent });
    return t("{{percent}} used. At this rate, the month ends within the budget.", { percent });
  }
}
