import { expect, it } from "vitest";
import { csvCell } from "./csv-cell.ts";

it("a CSV cell quotes values that would break a line or a cell", () => {
  expect(["a,b", 'say "hi"', "two\nlines", "a;b", 3].map(csvCell)).toEqual([
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    '"a;b"',
    "3",
  ]);
});

it("a CSV cell escapes whatever a spreadsheet would run as a formula, after every separator", () => {
  for (const sign of ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
    for (const separator of ["", ";", "\t", "\n", "\r", "x;", "a\tb\t", "; "]) {
      const cell = csvCell(`${separator}${sign}cmd|' /C calc'!A0`);
      const inside = cell.replace(/^"/, "");
      expect(inside, JSON.stringify(separator + sign)).not.toMatch(/(?:^|[;\t\r\n]) *[=+\-@＝＋－＠]/);
    }
  expect(csvCell(";=1+1")).toBe(`";'=1+1"`);
});

it("a CSV cell leaves numbers and signs within a text", () => {
  expect(["-5", "-0.25", -5, "a-b", "a=b", "x + y"].map(csvCell)).toEqual([
    "-5",
    "-0.25",
    "-5",
    "a-b",
    "a=b",
    "x + y",
  ]);
});
