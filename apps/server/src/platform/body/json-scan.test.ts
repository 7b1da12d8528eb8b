import { describe, expect, it } from "vitest";
import { createJsonScan, MAX_KEYS_OF_ONE, requireNarrowObjects } from "./json-scan.ts";

/** Scans the text in pieces of this many bytes. */
function scanned(text: string, piece = text.length) {
  const raw = Buffer.from(text);
  const scan = createJsonScan();
  for (let at = 0; at < raw.length; at += piece) scan.push(raw.subarray(at, at + piece));
  return { raw, scan };
}

const wide = (keys: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, index])));
const freeForm = new Set(["metadata"]);

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(",")}]`;

describe("JSON scan", () => {
  it.each([
    ["200 levels", nested(200), nested(201)],
    ["500,000 values", list(500_001, "1"), list(500_002, "1")],
    ["100,000 objects and arrays", list(99_999, "{}"), list(100_000, "{}")],
    ["20,000 keys", list(20_000, '{"a":1}'), list(20_001, '{"a":1}')],
  ])("allows %s and no more", (_limit, within, beyond) => {
    expect(() => scanned(within)).not.toThrow();
    expect(() => scanned(beyond)).toThrow(/more than/);
  });

  it("refuses too many keys in all, whatever their objects", () => {
    const small = `[${Array.from({ length: 5_001 }, () => '{"a":1,"b":2,"c":3,"d":4}').join(",")}]`;
    expect(() => scanned(small, 1_000)).toThrow(/more than 20000 fields in total/);
    expect(() => scanned(`{"metadata":${wide(20_001)}}`)).toThrow(/more than 20000 fields in total/);
  });

  it.each([1, 7, 1_000_000])("finds an object with too many keys, in pieces of %i bytes", (piece) => {
    const check = (text: string) => {
      const { raw, scan } = scanned(text, piece);
      requireNarrowObjects(raw, scan, freeForm);
    };
    const [most, more] = [wide(MAX_KEYS_OF_ONE), wide(MAX_KEYS_OF_ONE + 1)];
    check(most);
    expect(() => check(more)).toThrow(/more than 1000 fields/);
    expect(() => check(`{"a":[{"b":${more}}]}`)).toThrow(/more than 1000 fields/);
    check(`{"a":[{"metadata":{"c":[${more}]}}]}`);
    // A free-form field beside it, before it or within it does not contain it.
    expect(() => check(`{"metadata":{},"a":${more}}`)).toThrow(/more than 1000 fields/);
    expect(() => check(`{"a":[{"metadata":{}}],"b":[${more}]}`)).toThrow(/more than 1000 fields/);
    expect(() => check(`[{"metadata":1},[${more}]]`)).toThrow(/more than 1000 fields/);
  });

  it("returns the short fields of the outermost object only", () => {
    const { raw, scan } = scanned('{"input":[{"model":"a"}],"model":"b","n":{"model":"c"}}', 3);
    const names = scan.shortFields.map(({ start, end }) => [raw.toString("utf8", start, end), start]);
    expect(names).toEqual([
      ["input", 2],
      ["model", raw.indexOf('"model":"b"') + 1],
    ]);
  });
});
