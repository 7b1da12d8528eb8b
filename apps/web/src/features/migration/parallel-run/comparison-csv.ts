/** The deviations of a comparison as a file for spreadsheets. Charges are points. */
import type { ComparisonReport, Deviation } from "@gateway/shared/site/comparison";
import { downloadCsv } from "#lib/format/csv.ts";
import { differenceOf } from "./labels.ts";

const fields: [string, (deviation: Deviation) => string | number][] = [
  ["deviation", ({ kind }) => kind],
  ["causes", ({ causes }) => causes.join(" ")],
  ["time", ({ here, source }) => (here ?? source)?.at ?? ""],
  ["model", ({ model }) => model],
  ["request_id", ({ here }) => here?.id ?? ""],
  ["old_row", ({ source }) => source?.id ?? ""],
  ["points_here", ({ here }) => here?.charge ?? ""],
  ["points_there", ({ source }) => source?.charge ?? ""],
  ["difference", differenceOf],
  ["input_tokens_here", ({ here }) => here?.prompt_tokens ?? ""],
  ["input_tokens_there", ({ source }) => source?.prompt_tokens ?? ""],
  ["output_tokens_here", ({ here }) => here?.completion_tokens ?? ""],
  ["output_tokens_there", ({ source }) => source?.completion_tokens ?? ""],
  ["group_ratio_here", ({ here }) => here?.price?.group_ratio ?? ""],
  ["group_ratio_there", ({ source }) => source?.price?.group_ratio ?? ""],
  ["input_ratio_here", ({ here }) => here?.price?.input ?? ""],
  ["input_ratio_there", ({ source }) => source?.price?.input ?? ""],
  ["output_ratio_here", ({ here }) => here?.price?.output ?? ""],
  ["output_ratio_there", ({ source }) => source?.price?.output ?? ""],
];

export function downloadDeviations({ product, until, deviations }: ComparisonReport): void {
  const rows = deviations.map((deviation) => fields.map(([, value]) => value(deviation)));
  downloadCsv(`comparison-${product}-${until.slice(0, 10)}.csv`, [fields.map(([name]) => name), ...rows]);
}
