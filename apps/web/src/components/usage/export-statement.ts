import type { StatementLine } from "@gateway/shared/billing/statement";
import { downloadCsv } from "#lib/format/csv.ts";

/** Downloads a statement as CSV. @param fileName without its extension */
export function exportStatement(fileName: string, lines: StatementLine[]): void {
  downloadCsv(`${fileName}.csv`, [
    ["month", "model", "requests", "points", "input_tokens", "output_tokens", "time_ms"],
    ...lines.map((line) => [
      line.date.slice(0, 7),
      line.model_name,
      line.request_count,
      line.quota,
      line.prompt_tokens,
      line.completion_tokens,
      line.request_time,
    ]),
  ]);
}
