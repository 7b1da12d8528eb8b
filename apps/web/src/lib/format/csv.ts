/** CSV files that spreadsheets open correctly. Pure. */
import { csvCell } from "@gateway/shared/csv-cell";

/** Without a byte order mark Excel does not detect UTF-8. */
const byteOrderMark = "\uFEFF";

export function toCsv(table: (string | number)[][]): string {
  return byteOrderMark + table.map((row) => row.map(csvCell).join(",")).join("\r\n");
}

export function downloadCsv(name: string, table: (string | number)[][]): void {
  const url = URL.createObjectURL(new Blob([toCsv(table)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
