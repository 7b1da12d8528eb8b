import { expect, it } from "vitest";
import { toCsv } from "./csv.ts";

const lines = (table: (string | number)[][]) => toCsv(table).slice(1).split("\r\n");

it("quotes values that would break a line or a cell", () => {
  expect(lines([["a,b", 'say "hi"', "two\nlines", 3]])).toEqual(['"a,b","say ""hi""","two\nlines",3']);
});

it("escapes text that a spreadsheet would run as a formula", () => {
  expect(lines([["=1+1", "@x", "-5", -5]])).toEqual(["'=1+1,'@x,-5,-5"]);
});

it("starts with the byte order mark that spreadsheets need for Chinese", () => {
  expect(toCsv([["客服"]]).startsWith("\uFEFF")).toBe(true);
});
