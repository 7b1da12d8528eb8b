import { describe, expect, it } from "vitest";
import { changesOf, formatValue } from "./diff.ts";

describe("the difference of two records", () => {
  it("lists each path, changed ones first", () => {
    expect(
      changesOf(
        { name: "a", models: ["x"], deep: { n: 1 } },
        { name: "a", models: ["x", "y"], deep: { n: 2 } },
      ),
    ).toEqual([
      { path: "models.1", before: undefined, after: "y", same: false },
      { path: "deep.n", before: 1, after: 2, same: false },
      { path: "name", before: "a", after: "a", same: true },
      { path: "models.0", before: "x", after: "x", same: true },
    ]);
  });

  it("shows a new or deleted record completely", () => {
    expect(changesOf(null, { id: 1 })).toEqual([{ path: "id", before: undefined, after: 1, same: false }]);
    expect(changesOf({ id: 1 }, null)).toEqual([{ path: "id", before: 1, after: undefined, same: false }]);
    expect(changesOf(null, null)).toEqual([]);
  });

  it("distinguishes empty from missing values", () => {
    expect(changesOf({ list: [] }, { list: ["a"] }).map((change) => change.path)).toEqual(["list.0", "list"]);
    expect(formatValue("")).toBe('""');
    expect(formatValue(undefined)).toBe("");
  });
});
