import { describe, expect, it } from "vitest";
import { mayParse, parseSmall } from "./parse-json.ts";

const object = (from: number, keys: number) =>
  `{${Array.from({ length: keys }, (_, index) => `"name${from + index}":1`).join(",")}}`;
const logprob = '{"token":"a","logprob":-1.5,"bytes":[97]}';
const list = (count: number, entry: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => entry(index)).join(",")}]`;

describe("a text that is parsed in one piece", () => {
  it.each([
    ["a long text", JSON.stringify({ text: '"{:,[\\'.repeat(1_000_000) })],
    ["the probabilities of two thousand tokens", list(40_000, () => logprob)],
    ["arguments with thousands of names", object(0, 15_000)],
    ["a list of token numbers", list(300_000, String)],
  ])("may be %s", (_name, text) => {
    expect(mayParse(text)).toBe(true);
    expect(parseSmall(text)).toBeDefined();
  });

  it.each([
    ["one object with very many names", object(0, 240_000)],
    ["many objects with different names", list(300, (index) => object(index * 1_000, 1_000))],
    ["very many keys", list(130_000, () => '{"a":1,"b":2}')],
    ["very many lists", `[${"[],".repeat(100_001)}1]`],
    ["very many numbers", list(600_000, () => "0.12345")],
  ])("may not be %s", (_name, text) => {
    expect(mayParse(text)).toBe(false);
    expect(parseSmall(text)).toBeUndefined();
  });
});
