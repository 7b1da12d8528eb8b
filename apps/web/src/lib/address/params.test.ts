import { expect, it } from "vitest";
import {
  droppedParams,
  initialOf,
  matching,
  oneOf,
  paging,
  readParams,
  textParam,
  trimmedParam,
  whole,
} from "./params.ts";

const list = { name: trimmedParam(3), size: whole(1, 100, 10), kind: oneOf(["", "a"]) };
const read = (search: string) => readParams(list, new URLSearchParams(search));

it("list params: drops a value that is rejected and keeps the others", () => {
  expect(read("name=abc&size=20")).toEqual({ name: "abc", size: 20, kind: "" });
  expect(read("name=abcd&size=20&kind=b")).toEqual({ name: "", size: 20, kind: "" });
  expect(read("name=abcd&size=-1&older=1")).toEqual({ name: "", size: 10, kind: "" });
  expect(read("name=%20ab%20")).toEqual({ name: "ab", size: 10, kind: "" });
});

it("list params: names what an address asks for in vain", () => {
  const dropped = (search: string, others?: string[]) =>
    droppedParams(list, new URLSearchParams(search), others).map(([name]) => name);
  expect(dropped("name=abc&size=20&kind=a")).toEqual([]);
  expect(dropped("name=%20ab&size=020&older=")).toEqual([]);
  expect(dropped("name=abcd&size=-1&kind=b")).toEqual(["name", "size", "kind"]);
  expect(dropped("size=20&older=1")).toEqual([]);
  expect(dropped("size=20&older=1&call=x", ["call"])).toEqual(["older"]);
});

it("list params: a whole number has no other notation", () => {
  for (const given of ["1e1", "0x10", "1.5", " 5", "true", "1".repeat(16)])
    expect(whole().read(given)).toBeUndefined();
  expect(whole(-5).read("-5")).toBe(-5);
});

it("list params: text may be limited to a pattern", () => {
  expect(matching(/^\d*$/).read("12")).toBe("12");
  expect(matching(/^\d*$/).read("x")).toBeUndefined();
  expect(textParam(2).read("abc")).toBeUndefined();
});

it("list params: an address without parameters has the initial values", () => {
  expect(initialOf(paging)).toEqual({ page: 1, size: 10, order: "" });
});
