/** CSV files that spreadsheets open correctly. Pure. */

/** Without a byte order mark Excel does not detect UTF-8. */
const byteOrderMark = "\uFEFF";

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // A spreadsheet would run these values as formulas.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCsv(table: (string | number)[][]): string {
  return byteOrderMark + table.map((row) => row.map(cell).join(",")).join("\r\n");
}

/** Downloads a table as a CSV file. */
export function downloadCsv(name: string, table: (string | number)[][]): void {
  const url = URL.createObjectURL(new Blob([toCsv(table)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
