import { expect, it } from "vitest";
import { columnsText, readColumns } from "./linked-columns.ts";

const columns = [{ id: "name" }, { id: "id" }, { id: "tag" }];

it("columns of a link: are those of the view", () => {
  const chosen = { id: true, tag: false };
  expect(columnsText(chosen)).toBe("id,-tag");
  expect(readColumns("id,-tag", columns)).toEqual(chosen);
});

it("columns of a link: those of a view without chosen columns replace the own choice", () => {
  expect(readColumns(columnsText({}), columns)).toEqual({});
});

it("columns of a link: unknown ones and long values are ignored", () => {
  expect(readColumns("id,gone,-__proto__,constructor", columns)).toEqual({ id: true });
  expect(readColumns(null, columns)).toBeUndefined();
  expect(readColumns("", columns)).toBeUndefined();
  expect(readColumns(`id,${"x".repeat(3_000)}`, columns)).toBeUndefined();
});
