import { expect, it } from "vitest";
import { z } from "zod";
import { droppedParams, readParams } from "./list-params.ts";

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

it("list params: names what an address asks for in vain", () => {
  const dropped = (search: string, others?: string[]) =>
    droppedParams(List, new URLSearchParams(search), others).map(([name]) => name);
  expect(dropped("name=abc&size=20")).toEqual([]);
  expect(dropped("name=%20ab&size=020&older=")).toEqual([]);
  expect(dropped("name=abcd&size=-1")).toEqual(["name", "size"]);
  expect(dropped("size=20&older=1")).toEqual([]);
  expect(dropped("size=20&older=1&call=x", ["call"])).toEqual(["older"]);
});

it("list params: names a value that the schema replaces silently", () => {
  const Kind = z.object({ kind: z.enum(["", "a"]).catch("").default("") });
  expect(droppedParams(Kind, new URLSearchParams("kind=b"))).toEqual([["kind", "b"]]);
  expect(droppedParams(Kind, new URLSearchParams("kind=a"))).toEqual([]);
});
