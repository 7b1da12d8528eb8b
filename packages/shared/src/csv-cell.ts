/** Cells of CSV files that spreadsheets open as text and numbers, whatever they contain. */

const plainNumber = /^-?\d+(?:\.\d+)?$/;

/**
 * Where a spreadsheet would see a formula: at the start of a cell, and after a semicolon, tab or line break, which
 * end a cell in files of other countries. The wide signs are those of Chinese and Japanese keyboards.
 */
const formula = /(?<=^|[;\t\r\n])( *)(?=[=+\-@\t\r＝＋－＠])/g;

export function csvCell(value: string | number): string {
  const text = String(value);
  const safe = plainNumber.test(text) ? text : text.replace(formula, "$1'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
