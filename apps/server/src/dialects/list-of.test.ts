import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listOf } from "./list-of.ts";

const item = z.looseObject({ type: z.string().nullish() });
const many = (length: number, make: (index: number) => unknown) =>
  Array.from({ length }, (_, at) => make(at));

describe("a list in a request", () => {
  it.each([0, 1, 64, 65, 200])("of %i valid items is read as by the library", (length) => {
    const values = many(length, (at) => ({ type: `t${at}`, other: at }));
    expect(listOf(item).parse(values)).toEqual(z.array(item).parse(values));
  });

  it.each([0, 63, 64, 150])("names the path of the first fault, at item %i", (fault) => {
    const values = many(200, (at) => ({ type: at >= fault ? 5 : "t" }));
    const issues = listOf(item).safeParse(values).error?.issues;
    expect(issues).toHaveLength(1);
    expect(issues?.[0]).toEqual(z.array(item).safeParse(values).error?.issues[0]);
  });

  it("has a minimum length, and is no other value", () => {
    expect(listOf(item, { least: 1 }).safeParse([]).success).toBe(false);
    for (const value of ["", {}, null, undefined]) expect(listOf(item).safeParse(value).success).toBe(false);
  });

  it("has a maximum length, and none of its items is read beyond it", () => {
    const list = listOf(item, { most: 2 });
    expect(list.parse([{}, {}])).toEqual([{}, {}]);
    expect(list.safeParse(many(3, (at) => at)).error?.issues.map(({ code }) => code)).toEqual(["too_big"]);
  });

  it("of 300,000 faults has one issue", () => {
    const schema = z.object({ input: z.union([z.string(), listOf(item)]) });
    const [issue, ...others] = schema.safeParse({ input: many(300_000, (at) => at) }).error?.issues ?? [];
    expect(others).toEqual([]);
    expect(JSON.stringify(issue).length).toBeLessThan(1_000);
  });
});
