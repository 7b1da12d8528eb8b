import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openai } from "#providers/openai.ts";
import { findIn, indexChannels, parseMapping } from "./candidates.ts";
import type { ChannelInForce } from "./channel-in-force.ts";
import { pick, type Wanted } from "./pick.ts";

function channel(part: Partial<ChannelInForce> & { id: number }): ChannelInForce {
  return {
    name: `channel ${part.id}`,
    provider: openai,
    baseUrl: openai.baseUrl,
    other: "",
    keys: [{ id: part.id, key: "k", weight: 1 }],
    models: ["gpt"],
    groups: ["default"],
    priority: 0,
    weight: 1,
    mapping: new Map(),
    headers: {},
    parameters: {},
    disabledStream: new Set(),
    onlyChat: false,
    preCost: 1,
    compatibleResponse: false,
    proxy: "",
    plugin: {},
    testModel: "",
    autoDisable: true,
    connectTimeoutMs: 0,
    firstByteTimeoutMs: 0,
    idleTimeoutMs: 0,
    ...part,
  };
}

const anything: Wanted = {
  model: "gpt",
  stream: false,
  tools: false,
  tried: new Set(),
  frozen: () => false,
};

const channels = fc
  .uniqueArray(fc.record({ id: fc.nat(50), priority: fc.nat(3), weight: fc.integer({ min: 1, max: 9 }) }), {
    selector: (entry) => entry.id,
    maxLength: 12,
  })
  .map((rows) => rows.map(channel).sort((a, b) => b.priority - a.priority || a.id - b.id));
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("pick", () => {
  it("never answers a frozen or tried channel, and a lower priority only when all higher are out", () => {
    fc.assert(
      fc.property(
        channels,
        fc.array(fc.nat(50)),
        fc.array(fc.nat(50)),
        random,
        (all, tried, frozen, dice) => {
          const out = new Set([...tried, ...frozen]);
          const chosen = pick(
            all,
            { ...anything, tried: new Set(tried), frozen: (id) => frozen.includes(id) },
            dice,
          );
          const usable = all.filter((entry) => !out.has(entry.id));
          if (usable.length === 0) return chosen === undefined;
          const best = Math.max(...usable.map((entry) => entry.priority));
          return chosen !== undefined && !out.has(chosen.id) && chosen.priority === best;
        },
      ),
    );
  });

  it("shares equal priorities by weight", () => {
    const pair = [channel({ id: 1, weight: 3 }), channel({ id: 2, weight: 1 })];
    let first = 0;
    const rounds = 4_000;
    for (let round = 0; round < rounds; round += 1)
      if (pick(pair, anything, round / rounds)?.id === 1) first += 1;
    expect(first / rounds).toBeCloseTo(0.75, 3);
  });

  it("keeps calls with tools away from chat-only channels, and streams from models that cannot", () => {
    const chatOnly = channel({ id: 1, onlyChat: true });
    const plain = channel({ id: 2, disabledStream: new Set(["gpt"]) });
    expect(pick([chatOnly, plain], { ...anything, tools: true }, 0)?.id).toBe(2);
    expect(pick([chatOnly, plain], { ...anything, stream: true }, 0.9)?.id).toBe(1);
  });
});

describe("the index of channels", () => {
  it("prefers the exact name, then the longest wildcard", () => {
    const exact = channel({ id: 1, models: ["gpt-4o-mini"] });
    const long = channel({ id: 2, models: ["gpt-4o*"] });
    const short = channel({ id: 3, models: ["gpt*"] });
    const index = indexChannels([short, long, exact]);
    const ids = (model: string) => findIn(index, "default", model).map((entry) => entry.id);
    expect(ids("gpt-4o-mini")).toEqual([1]);
    expect(ids("gpt-4o-2024")).toEqual([2]);
    expect(ids("gpt-5")).toEqual([3]);
    expect(ids("claude")).toEqual([]);
    expect(findIn(index, "vip", "gpt-5")).toEqual([]);
  });

  it("bills by the requested name only when the target of a mapping begins with +", () => {
    const mapping = parseMapping({ a: "b", c: "+d" });
    expect(mapping.get("a")).toEqual({ upstream: "b", billed: "b" });
    expect(mapping.get("c")).toEqual({ upstream: "d", billed: "c" });
  });
});
