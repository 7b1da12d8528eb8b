import { describe, expect, it } from "vitest";
import { compact } from "./wire.ts";

describe("compact", () => {
  it("leaves out what is undefined, and keeps null, the order and the given object", () => {
    const given = { model: "m", stop: undefined, seed: null, stream: false };
    expect(Object.entries(compact(given))).toEqual([
      ["model", "m"],
      ["seed", null],
      ["stream", false],
    ]);
    expect(Object.keys(given)).toEqual(["model", "stop", "seed", "stream"]);
  });

  it("keeps a caller's field named __proto__ as a field", () => {
    const given = {
      ...(JSON.parse('{"__proto__": {"stream": true}, "model": "m"}') as object),
      user: undefined,
    };
    const kept = compact(given);
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"stream":true},"model":"m"}');
    expect("stream" in kept).toBe(false);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });
});
