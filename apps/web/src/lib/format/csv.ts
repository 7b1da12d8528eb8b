/** CSV files that spreadsheets open correctly. */
import { csvCell } from "@gateway/shared/csv-cell";
import { downloadFile } from "#lib/download.ts";

/** Without a byte order mark Excel does not detect UTF-8. */
const byteOrderMark = "\uFEFF";

export function toCsv(table: (string | number)[][]): string {
  return byteOrderMark + table.map((row) => row.map(csvCell).join(",")).join("\r\n");
}

export function downloadCsv(name: string, table: (string | number)[][]): void {
  downloadFile(name, toCsv(table), "text/csv;charset=utf-8");
}
