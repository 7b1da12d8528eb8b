import { afterEach, expect, it, vi } from "vitest";
import { isCurrent, linkedQuery, storeViews, viewOf, viewsOf, withName, withView } from "./saved-views.ts";

afterEach(() => vi.unstubAllGlobals());

it("saved views: what is open, the page and its size are no part of a view", () => {
  expect(viewOf("?order=-id&page=3&size=20&edit=4&user=7&keyword=red")).toBe("keyword=red&order=-id");
});

it("saved views: a link has the filters, the order and the columns, which are no filter", () => {
  const view = { name: "A", search: "keyword=red&order=-id", columns: { id: true, tag: false } };
  expect(linkedQuery(view)).toBe("keyword=red&order=-id&columns=id%2C-tag");
  expect(viewOf(linkedQuery(view))).toBe("keyword=red&order=-id");
  expect(isCurrent(view, `?${linkedQuery(view)}`, view.columns)).toBe(true);
  expect(linkedQuery({ name: "B", search: "keyword=red" })).toBe("keyword=red");
});

it("saved views: a view of an earlier version is current with any columns", () => {
  const search = "keyword=red";
  expect(isCurrent({ name: "Old", search }, `?${search}&page=2`, { id: true })).toBe(true);
  expect(isCurrent({ name: "New", search, columns: { id: true } }, `?${search}`, { id: true })).toBe(true);
  expect(isCurrent({ name: "New", search, columns: { id: true } }, `?${search}`, {})).toBe(false);
});

it("saved views: stay sorted when one is added, replaced or renamed", () => {
  const b = { name: "B", search: "b=1" };
  const views = withView([b], { name: "A", search: "" });
  expect(views.map(({ name }) => name)).toEqual(["A", "B"]);
  expect(withView(views, { name: "B", search: "b=2" })).toHaveLength(2);
  expect(withName(views, b, "0").map(({ name }) => name)).toEqual(["0", "A"]);
});

it("saved views: stored values of another form are ignored", () => {
  const values = new Map<string, string>();
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => values.set(key, value),
      removeItem: (key: string) => values.delete(key),
    },
  });
  const view = { name: "A", search: "a=1", columns: { id: true } };
  storeViews("users", 1, [view]);
  expect(viewsOf("users", 1)).toEqual([view]);
  expect(viewsOf("users", 2)).toEqual([]);
  values.set("views:users:1", JSON.stringify([{ ...view, columns: ["id"] }, { name: "" }, 3, view]));
  expect(viewsOf("users", 1)).toEqual([view]);
});
