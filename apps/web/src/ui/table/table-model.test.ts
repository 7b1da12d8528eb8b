import { expect, it } from "vitest";
import { type Column, inOrder, offersOrder } from "./table-model.ts";

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
