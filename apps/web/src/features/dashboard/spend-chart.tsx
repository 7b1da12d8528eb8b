/** Spend per day, stacked by model. */
import { useFormat } from "#lib/quota.ts";
import { StackedBars } from "#ui/stacked-bars.tsx";
import { type Stacks, tickDigits, topOf } from "#ui/stacks.ts";

export function SpendChart(stacks: Stacks) {
  const format = useFormat();
  // One number of digits for the whole axis.
  const digits = tickDigits(topOf(stacks) / format.pointsPerUsd);
  return (
    <StackedBars
      {...stacks}
      tick={(value) => format.quota(value, digits)}
      print={format.spend}
      axisWidth={digits > 2 ? 82 : 64}
    />
  );
}
