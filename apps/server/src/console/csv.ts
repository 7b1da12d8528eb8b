const byteOrderMark = "\uFEFF";

/** Returns a CSV file that spreadsheets open as text and numbers, whatever the cells contain. */
export function csvOf(table: readonly (readonly (string | number)[])[]): string {
  return byteOrderMark + table.map((row) => row.map(cell).join(",")).join("\r\n");
}

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  // A spreadsheet would execute text that looks like a formula.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
