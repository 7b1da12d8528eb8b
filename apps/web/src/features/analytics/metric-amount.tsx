/** A value of the selected metric in a column. */
import { Amount } from "#components/amount.tsx";
import { useFormat } from "#lib/format/quota.ts";
import type { ColumnAmounts } from "#ui/table/amount-columns.tsx";
import { metricText } from "./metric-labels.ts";
import type { Metric } from "./period.ts";

const column = "metric";

/** Returns the amounts of a table whose column shows the metric. */
export function metricAmounts(metric: Metric, values: number[]): ColumnAmounts {
  return metric === "quota" ? { [column]: values } : {};
}

export function MetricAmount({ metric, value }: { metric: Metric; value: number }) {
  const format = useFormat();
  if (metric === "quota") return <Amount column={column} points={value} />;
  return <span title={format.whole(value)}>{metricText(metric, value, format)}</span>;
}
