import { expect, it } from "vitest";
import { z } from "zod";
import { readParams } from "./list-params.ts";

const List = z.object({
  name: z.string().max(3).default(""),
  size: z.coerce.number().int().min(1).default(10),
});

it("list params: drops a value that the schema rejects and keeps the others", () => {
  const read = (search: string) => readParams(List, new URLSearchParams(search));
  expect(read("name=abc&size=20")).toEqual({ name: "abc", size: 20 });
  expect(read("name=abcd&size=20")).toEqual({ name: "", size: 20 });
  expect(read("name=abcd&size=-1&older=1")).toEqual({ name: "", size: 10 });
});
