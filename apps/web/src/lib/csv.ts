/** Comma-separated values that spreadsheets open right. Pure. */

/** Without it Excel takes UTF-8 for something older. */
const byteOrderMark = "\uFEFF";

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // A spreadsheet would run what looks like a formula.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCsv(table: (string | number)[][]): string {
  return byteOrderMark + table.map((row) => row.map(cell).join(",")).join("\r\n");
}

/** Hands a table to the browser's downloads. */
export function downloadCsv(name: string, table: (string | number)[][]): void {
  const url = URL.createObjectURL(new Blob([toCsv(table)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
