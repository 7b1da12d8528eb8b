import { expect, it } from "vitest";
import { type Column, inOrder, nextOrder, offersOrder } from "./table-model.ts";

const column = (id: string, sortable: boolean): Column<object> => ({
  id,
  title: id,
  sortable,
  cell: () => id,
});
const columns = [column("id", true), column("name", true), column("secret", false)];

it("offers an order by sortable columns, up or down, and no order at all", () => {
  expect(["", "id", "-name", "name,-id"].map((order) => offersOrder(columns, order))).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});

it("offers no order by a column that is missing or not sortable", () => {
  for (const order of ["nowhere", "secret", "id,-nowhere", "--id", ","])
    expect(offersOrder(columns, order), order).toBe(false);
});

type Model = { name: string; size: number };
const models: Model[] = [
  { name: "gpt-10", size: 5 },
  { name: "GPT-9", size: 20 },
  { name: "claude", size: 5 },
];
const modelColumns: Column<Model>[] = [
  { id: "name", title: "Name", sortable: true, sortValue: ({ name }) => name, cell: ({ name }) => name },
  { id: "size", title: "Size", sortable: true, sortValue: ({ size }) => size, cell: ({ size }) => size },
  { id: "plain", title: "Plain", cell: () => null },
];
const namesIn = (order: string) => inOrder(models, modelColumns, order).map(({ name }) => name);

it("inOrder: sorts names by locale and numbers by value, both ways", () => {
  expect(namesIn("name")).toEqual(["claude", "GPT-9", "gpt-10"]);
  expect(namesIn("-name")).toEqual(["gpt-10", "GPT-9", "claude"]);
  expect(namesIn("-size")).toEqual(["GPT-9", "gpt-10", "claude"]);
});

it("inOrder: keeps the list's own order without a field, or with one that is not sortable", () => {
  for (const order of ["", "plain", "-nowhere"])
    expect(namesIn(order)).toEqual(["gpt-10", "GPT-9", "claude"]);
});

it("nextOrder: numbers and times begin descending, text begins ascending", () => {
  const cycle = (column: Column<object>) => {
    const first = nextOrder("", column);
    const second = nextOrder(first, column);
    return [first, second, nextOrder(second, column)];
  };
  expect(cycle(column("name", true))).toEqual(["name", "-name", ""]);
  expect(cycle({ ...column("quota", true), align: "right" })).toEqual(["-quota", "quota", ""]);
  expect(cycle(column("created_at", true))).toEqual(["-created_at", "created_at", ""]);
  expect(cycle(column("last_login_time", true))).toEqual(["-last_login_time", "last_login_time", ""]);
});
