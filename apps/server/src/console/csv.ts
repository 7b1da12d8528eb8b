import { csvCell } from "@gateway/shared/csv-cell";

const byteOrderMark = "\uFEFF";

/** Returns a CSV file that spreadsheets open as text and numbers, whatever the cells contain. */
export function csvOf(table: readonly (readonly (string | number)[])[]): string {
  return byteOrderMark + table.map((row) => row.map(csvCell).join(",")).join("\r\n");
}
