/** Tables of the documentation that tests generate from the code. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

/** Returns a Markdown table whose columns are as wide as their longest cell, as the formatter writes them. */
export function formatTable([header = [], ...rows]: string[][]): string {
  const widths = header.map((_cell, column) =>
    Math.max(3, ...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/**
 * Expects the table between `<!-- table: name -->` and `<!-- end -->` of a page. With UPDATE_DOCS=1 it writes the table.
 * @param page path below docs/
 */
export function expectTable(page: string, name: string, table: string[][]): void {
  const file = new URL(`../../../../docs/${page}`, import.meta.url);
  const text = readFileSync(file, "utf8");
  const begin = `<!-- table: ${name} -->\n`;
  expect(text).toContain(begin);
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf("<!-- end -->", from);
  const wanted = `\n${formatTable(table)}\n\n`;
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, text.slice(0, from) + wanted + text.slice(to));
  else expect(text.slice(from, to)).toBe(wanted);
}
