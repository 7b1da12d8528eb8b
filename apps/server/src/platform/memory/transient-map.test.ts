import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { TransientMap } from "./transient-map.ts";

describe("TransientMap", () => {
  it("has the entries that were set and not deleted", () => {
    const map = new TransientMap<string, { of: number }>();
    map.set("a", { of: 1 });
    map.set("b", { of: 2 });
    map.set("a", { of: 3 });
    map.delete("b");
    map.delete("c");
    expect([map.get("a"), map.get("b"), map.size]).toEqual([{ of: 3 }, undefined, 1]);
    expect([...map.values()]).toEqual([{ of: 3 }]);
  });

  it("skips an entry that is deleted while the values are read", () => {
    const map = new TransientMap<number, { of: number }>();
    for (const of of [1, 2, 3]) map.set(of, { of });
    const seen: number[] = [];
    for (const { of } of map.values()) {
      seen.push(of);
      map.delete(2);
    }
    expect(seen).toEqual([1, 3]);
  });

  // With a plain Map, no collection of young objects frees any of these entries.
  it("keeps no deleted entry in memory until the next full collection", () => {
    const plain = leftAfterCalls(new Map());
    expect(leftAfterCalls(new TransientMap())).toBeLessThan(plain / 4);
  });

  /** Returns the bytes that the entries of ended calls occupy after collections of young objects. */
  function leftAfterCalls(
    map: Map<number, { of: number[] }> | TransientMap<number, { of: number[] }>,
  ): number {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (options: { type: "minor" | "major" }) => void;
    setFlagsFromString("--no-expose-gc");
    const [together, calls, numbers] = [64, 2_000, 500];
    const begin = (id: number) => map.set(id, { of: Array.from<number>({ length: numbers }).fill(id) });
    for (let id = 0; id < together; id += 1) begin(id);
    // Moves the map to the old generation.
    collect({ type: "major" });
    collect({ type: "major" });
    const before = process.memoryUsage().heapUsed;
    for (let id = together; id < calls; id += 1) {
      begin(id);
      map.delete(id - together);
    }
    collect({ type: "minor" });
    collect({ type: "minor" });
    return process.memoryUsage().heapUsed - before;
  }
});
