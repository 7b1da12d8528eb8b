import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapModel } from "./active-channel.ts";
import { buildIndex } from "./candidates.ts";
import { channel } from "./channels.fixture.ts";
import { parseMapping } from "./load-channels.ts";

const names = ["gpt", "gpt-4*", "gpt*", "claude", "c*"];
const requested = ["gpt", "gpt-4o", "gpt-5", "claude", "cohere", "nothing"];
const groups = ["default", "vip"];
const one = fc
  .record({
    id: fc.integer({ min: 1, max: 9 }),
    priority: fc.nat(2),
    models: fc.subarray(names, { minLength: 1 }),
    groups: fc.subarray(groups, { minLength: 1 }),
  })
  .map(channel);

describe("the index of channels", () => {
  it("prefers the exact name, then the longest wildcard", async () => {
    const exact = channel({ id: 1, models: ["gpt-4o-mini"] });
    const long = channel({ id: 2, models: ["gpt-4o*"] });
    const short = channel({ id: 3, models: ["gpt*"] });
    const index = await buildIndex([short, long, exact]);
    const ids = (model: string) => index.find("default", model).map((entry) => entry.id);
    expect(ids("gpt-4o-mini")).toEqual([1]);
    expect(ids("gpt-4o-2024")).toEqual([2]);
    expect(ids("gpt-5")).toEqual([3]);
    expect(ids("claude")).toEqual([]);
    expect(index.find("vip", "gpt-5")).toEqual([]);
  });

  it("equals an index built from scratch after any sequence of changes", async () => {
    const change = fc.oneof(
      one.map((put) => ({ put, remove: 0 })),
      fc.integer({ min: 1, max: 9 }).map((remove) => ({ put: undefined, remove })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(one), fc.array(change), async (start, changes) => {
        const now = new Map(start.map((entry) => [entry.id, entry]));
        const index = await buildIndex([...now.values()]);
        for (const { put, remove } of changes) {
          if (put !== undefined) {
            index.put(put);
            now.set(put.id, put);
          } else {
            index.remove(remove);
            now.delete(remove);
          }
        }
        const fresh = await buildIndex([...now.values()]);
        for (const group of groups) {
          expect(index.models(group).toSorted()).toEqual(fresh.models(group).toSorted());
          for (const model of requested) expect(index.find(group, model)).toEqual(fresh.find(group, model));
        }
        for (let id = 1; id < 10; id += 1) expect(index.byId(id)).toBe(now.get(id));
      }),
    );
  });

  it("does not modify a list that a call already has", async () => {
    const index = await buildIndex([channel({ id: 1 }), channel({ id: 2 })]);
    const found = index.find("default", "gpt");
    index.remove(1);
    index.put(channel({ id: 3, priority: 9 }));
    expect(found.map(({ id }) => id)).toEqual([1, 2]);
    expect(index.find("default", "gpt").map(({ id }) => id)).toEqual([3, 2]);
  });

  it("bills the requested name only if the mapping target starts with +", () => {
    const mapping = parseMapping({ a: "b", c: "+d" });
    const at = (model: string) => mapModel({ mapping }, model);
    expect(at("a")).toEqual({ upstream: "b", billed: "b" });
    expect(at("c")).toEqual({ upstream: "d", billed: "c" });
    expect(at("other")).toEqual({ upstream: "other", billed: "other" });
  });

  it("maps by the exact name first, then by the longest wildcard", async () => {
    const mapping = parseMapping({ "claude-*": "c", "claude-opus-*": "+o", "claude-opus-5": "exact" });
    const at = (model: string) => mapModel({ mapping }, model);
    expect(at("claude-opus-5")).toEqual({ upstream: "exact", billed: "exact" });
    expect(at("claude-opus-4")).toEqual({ upstream: "o", billed: "claude-opus-4" });
    expect(at("claude-haiku-5")).toEqual({ upstream: "c", billed: "c" });
    expect(at("claude")).toEqual({ upstream: "claude", billed: "claude" });
  });

  it("replaces the star in the target with the text that the wildcard matched", () => {
    const mapping = parseMapping({ "anthropic/*": "*", "claude-*": "us.claude-*-v1", "gpt-*": "+o/gpt-*" });
    const at = (model: string) => mapModel({ mapping }, model);
    expect(at("anthropic/claude-5")).toEqual({ upstream: "claude-5", billed: "claude-5" });
    expect(at("claude-opus-5")).toEqual({ upstream: "us.claude-opus-5-v1", billed: "us.claude-opus-5-v1" });
    expect(at("gpt-$&")).toEqual({ upstream: "o/gpt-$&", billed: "gpt-$&" });
  });
});
