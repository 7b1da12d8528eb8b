import { describe, expect, it } from "vitest";
import { withMarks } from "./cache-marks/mark-body.ts";
import { withChanges } from "./received-bytes.ts";

const body = {
  model: "m",
  system: "be brief",
  tools: [{ name: "a" }, { name: "b" }],
  messages: [
    { role: "user", content: 'a "quoted" text' },
    { role: "assistant", content: [{ type: "text", text: "ä" }] },
    { role: "user", content: "more" },
  ],
};
const serialize = (value: unknown) => JSON.stringify(value);

function changed(ends: readonly number[], { raw = Buffer.from(JSON.stringify(body)), added = {} } = {}) {
  const next = { ...withMarks(body, ends), ...added };
  return { bytes: withChanges(raw, body, next, { added, serialize }), next };
}

describe("the received bytes of a request", () => {
  it("are changed only where a mark was added", () => {
    for (const ends of [[1], [2], [3], [2, 4, 5], [1, 2, 3, 4, 5]]) {
      const { bytes, next } = changed(ends);
      expect(bytes?.toString()).toBe(JSON.stringify(next));
    }
  });

  it("keep their spelling elsewhere", () => {
    const text = JSON.stringify(body).replace('"model":"m"', '"model" :\n"\\u006d"');
    const { bytes, next } = changed([5], { raw: Buffer.from(text) });
    expect(bytes?.toString()).toContain('{"model" :\n"\\u006d",');
    expect(JSON.parse(bytes?.toString() ?? "")).toEqual(next);
  });

  it("get added fields in front", () => {
    const { bytes } = changed([5], { added: { prompt_cache_key: "s" } });
    expect(bytes?.toString().startsWith('{"prompt_cache_key":"s","model":"m"')).toBe(true);
  });

  it("are not used where a place is spelled in another way or occurs twice, or another field was changed", () => {
    const spaced = Buffer.from(JSON.stringify(body, undefined, 1));
    expect(changed([5], { raw: spaced }).bytes).toBeUndefined();
    const twice = { ...body, messages: [body.messages[2]!, body.messages[1]!, body.messages[2]!] };
    const raw = Buffer.from(JSON.stringify(twice));
    expect(withChanges(raw, twice, withMarks(twice, [5]), { serialize })).toBeUndefined();
    const renamed = { ...body, model: "other" };
    expect(withChanges(Buffer.from(JSON.stringify(body)), body, renamed, { serialize })).toBeUndefined();
    const { system: _system, ...fewer } = body;
    expect(withChanges(Buffer.from(JSON.stringify(body)), body, fewer, { serialize })).toBeUndefined();
  });
});
