/** Spend per day, stacked by model. A click or a drag opens the calls of these days. */
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { logAddressOfDays } from "#lib/address/log-address.ts";
import { useFormat } from "#lib/format/quota.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";
import { type Stacks, tickDigits, topOf } from "#ui/charts/stacks.ts";

export function SpendChart(stacks: Stacks) {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const navigate = useNavigate();
  const dateOf = (day: number) => stacks.rows[day]?.date ?? "";
  // All ticks of the axis have the same number of decimals.
  const digits = tickDigits(topOf(stacks) / format.pointsPerUsd);
  return (
    <StackedBars
      {...stacks}
      title={t("Charged by model")}
      tick={(value) => format.tick(value, digits)}
      print={(value) => format.tick(value, digits)}
      axisWidth={digits > 2 ? 82 : 64}
      onRange={({ first, last }) =>
        void navigate(logAddressOfDays({ first: dateOf(first), last: dateOf(last) }, {}))
      }
    />
  );
}
