/** Spend per day, stacked by model. */
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import { StackedBars } from "#ui/charts/stacked-bars.tsx";
import { type Stacks, tickDigits, topOf } from "#ui/charts/stacks.ts";

export function SpendChart(stacks: Stacks) {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  // All ticks of the axis have the same number of decimals.
  const digits = tickDigits(topOf(stacks) / format.pointsPerUsd);
  return (
    <StackedBars
      {...stacks}
      title={t("Charged by model")}
      tick={(value) => format.tick(value, digits)}
      print={(value) => format.tick(value, digits)}
      axisWidth={digits > 2 ? 82 : 64}
    />
  );
}
