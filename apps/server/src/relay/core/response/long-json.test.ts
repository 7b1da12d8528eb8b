import { expect, it } from "vitest";
import { parseInPieces, stringifyInPieces } from "./long-json.ts";

it("long JSON: is written as JSON.stringify does, and other work is done in between", async () => {
  const long = `"\\\n${"four score 🎉 \ud800 ".repeat(60_000)}`;
  const value = {
    id: "a",
    texts: [long, `a${long}`, "short", undefined, null],
    raw: { n: 1.5 },
    last: `é${"🎉".repeat(300_000)}`,
  };
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  expect(await stringifyInPieces(value)).toBe(JSON.stringify(value));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(await stringifyInPieces({ text: "short" })).toBe('{"text":"short"}');
});

it("long JSON: is read as JSON.parse does, wherever its escapes are cut", async () => {
  const piece = 256 * 1024;
  for (let shift = 0; shift < 13; shift += 1) {
    const escapes = '\\\\\\n\\ud83c\\udf89\\"é'.repeat(30_000);
    const text = `{"a":"${"x".repeat(piece - shift)}${escapes}","b":["${escapes}",1],"c":"short"}`;
    expect(await parseInPieces(text, JSON.parse)).toEqual(JSON.parse(text));
  }
  expect(await parseInPieces(`{"a":"${"x".repeat(piece)}\n"}`, JSON.parse)).toBeUndefined();
});
