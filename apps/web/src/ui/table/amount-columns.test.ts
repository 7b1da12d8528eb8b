/** Amounts in tables go through `Amount` with the name of their column, which gives a column the same decimals. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".tsx"),
);

/** Cells of written-out tables, and of the columns of data tables. */
const cells = [/<td[\s>][^]*?<\/td>/g, /\bcell: [^]*?\n {4,8}\}/g];
/** Formats with the decimals of the amount alone. `format.usd` with a number of decimals is the same in each row. */
const alone = /\bformat\.(quota|charge|exact)\(|\bformat\.usd\([^,)]*\)|<Amount (?![^>]*\bcolumn=)/;

it("no cell of a table formats an amount without the shared component", () => {
  const found = files.flatMap((path) => {
    const text = readFileSync(new URL(path, root), "utf8");
    return cells
      .flatMap((pattern) => [...text.matchAll(pattern)].map(([cell]) => cell))
      .filter((cell) => alone.test(cell))
      .map((cell) => `${path}: ${cell}`);
  });
  expect(files.length).toBeGreaterThan(200);
  expect(found).toEqual([]);
});
