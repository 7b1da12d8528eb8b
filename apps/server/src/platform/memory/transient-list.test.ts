import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ListEntry, TransientList } from "./transient-list.ts";

interface Entry extends ListEntry {
  of: readonly number[];
}

const entry = (...of: number[]): Entry => ({ of, place: -1 });

describe("TransientList", () => {
  it("has what a set has after any additions and removals", () => {
    const steps = fc.array(fc.record({ adds: fc.boolean(), which: fc.nat(7) }));
    fc.assert(
      fc.property(steps, (list) => {
        const entries = Array.from({ length: 8 }, (_, which) => entry(which));
        const [found, expected] = [new TransientList<Entry>(), new Set<Entry>()];
        for (const { adds, which } of list) {
          const one = entries[which] ?? entry();
          if (adds) {
            found.add(one);
            expected.add(one);
          } else {
            found.delete(one);
            expected.delete(one);
          }
        }
        expect(new Set(found.filter(() => true))).toEqual(expected);
        expect(found.filter(() => true)).toHaveLength(expected.size);
        for (const one of entries) expect(found.has(one)).toBe(expected.has(one));
      }),
    );
  });

  // With a Set, no collection of young objects frees any of these entries.
  it("keeps no removed entry in memory until the next full collection", () => {
    const plain = leftAfterCalls(new Set());
    expect(leftAfterCalls(new TransientList<Entry>())).toBeLessThan(plain / 4);
  });

  /** Returns the bytes that the entries of ended calls occupy after collections of young objects. */
  function leftAfterCalls(list: { add(one: Entry): void; delete(one: Entry): void }): number {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (options: { type: "minor" | "major" }) => void;
    setFlagsFromString("--no-expose-gc");
    const [together, calls, numbers] = [64, 2_000, 500];
    const open: Entry[] = [];
    const begin = () => {
      const one = entry(...Array.from<number>({ length: numbers }).fill(1));
      list.add(one);
      open.push(one);
    };
    for (let call = 0; call < together; call += 1) begin();
    // Moves the list to the old generation.
    collect({ type: "major" });
    collect({ type: "major" });
    const before = process.memoryUsage().heapUsed;
    for (let call = together; call < calls; call += 1) {
      begin();
      const first = open.shift();
      if (first !== undefined) list.delete(first);
    }
    collect({ type: "minor" });
    collect({ type: "minor" });
    return process.memoryUsage().heapUsed - before;
  }
});
