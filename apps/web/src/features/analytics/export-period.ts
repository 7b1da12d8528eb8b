import type { Period } from "@gateway/shared/usage/analytics";
import { downloadCsv } from "#lib/format/csv.ts";

/** Exports every day and member as numbers that a spreadsheet can sum. */
export function exportPeriod({
  channel_statistics: rows,
  dates,
}: Pick<Period, "channel_statistics" | "dates">): void {
  downloadCsv(`usage-${dates[0] ?? ""}-${dates.at(-1) ?? ""}.csv`, [
    [
      "date",
      "name",
      "requests",
      "failed",
      "points",
      "input_tokens",
      "output_tokens",
      "cached_tokens",
      "time_ms",
      "first_byte_ms",
      "web_searches",
      "web_search_points",
    ],
    ...rows.map((row) => [
      row.Date,
      row.Channel,
      row.RequestCount,
      row.FailedCount,
      row.Quota,
      row.PromptTokens,
      row.CompletionTokens,
      row.CachedTokens,
      row.RequestTime,
      row.FirstByteTime,
      row.SearchCount,
      row.SearchQuota,
    ]),
  ]);
}
