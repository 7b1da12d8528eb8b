import { expect, it } from "vitest";
import { type Column, offersOrder } from "./table-model.ts";

const column = (id: string, sortable: boolean): Column<object> => ({
  id,
  title: id,
  sortable,
  cell: () => id,
});
const columns = [column("id", true), column("name", true), column("secret", false)];

it("offers an order by its sortable columns, up or down, and none at all", () => {
  expect(["", "id", "-name", "name,-id"].map((order) => offersOrder(columns, order))).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});

it("offers no order by what is not there or cannot be sorted by", () => {
  for (const order of ["nowhere", "secret", "id,-nowhere", "--id", ","])
    expect(offersOrder(columns, order), order).toBe(false);
});
