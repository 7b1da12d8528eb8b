import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "#test/property-runs.ts";
import { channel } from "./channels.fixture.ts";
import { pick, type ChannelRequirements } from "./pick.ts";

const anything: ChannelRequirements = {
  model: "gpt",
  stream: false,
  tools: false,
  tried: new Set(),
  usable: () => true,
};

const channels = fc
  .uniqueArray(fc.record({ id: fc.nat(50), priority: fc.nat(3), weight: fc.integer({ min: 1, max: 9 }) }), {
    selector: (entry) => entry.id,
    maxLength: 12,
  })
  .map((rows) => rows.map(channel).sort((a, b) => b.priority - a.priority || a.id - b.id));

/** Returns a deterministic random generator, uniform enough for statistics. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe("pick", () => {
  it("never returns an unusable or tried channel, and uses a lower priority only if all higher ones are out", () => {
    fc.assert(
      fc.property(
        channels,
        fc.array(fc.nat(50)),
        fc.array(fc.nat(50)),
        fc.integer(),
        (all, tried, frozen, seed) => {
          const out = new Set([...tried, ...frozen]);
          const chosen = pick(
            all,
            { ...anything, tried: new Set(tried), usable: ({ id }) => !frozen.includes(id) },
            dice(seed),
          );
          const usable = all.filter((entry) => !out.has(entry.id));
          if (usable.length === 0) return chosen === undefined;
          const best = Math.max(...usable.map((entry) => entry.priority));
          return chosen !== undefined && !out.has(chosen.id) && chosen.priority === best;
        },
      ),
    );
  });

  it("distributes by weight among the usable channels, however many are unusable", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), out: fc.boolean() }), {
          minLength: 2,
          maxLength: 8,
        }),
        fc.integer(),
        (rows, seed) => {
          const all = rows.map(({ weight }, id) => channel({ id, weight }));
          const usable = all.filter((_, id) => rows[id]?.out === false);
          if (usable.length === 0) return;
          const total = usable.reduce((sum, { weight }) => sum + weight, 0);
          const random = dice(seed);
          const rounds = 4_000;
          const chosen = new Map<number, number>();
          for (let round = 0; round < rounds; round += 1) {
            const id =
              pick(all, { ...anything, usable: (entry) => usable.includes(entry) }, random)?.id ?? -1;
            chosen.set(id, (chosen.get(id) ?? 0) + 1);
          }
          for (const { id, weight } of usable) {
            const share = weight / total;
            // Six standard deviations: a fair draw exceeds this once in half a billion.
            const slack = 6 * Math.sqrt((share * (1 - share)) / rounds);
            expect(Math.abs((chosen.get(id) ?? 0) / rounds - share)).toBeLessThanOrEqual(slack);
          }
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it("does not send tools to chat-only channels, or streams to models that cannot stream", () => {
    const chatOnly = channel({ id: 1, onlyChat: true });
    const plain = channel({ id: 2, disabledStream: new Set(["gpt"]) });
    expect(pick([chatOnly, plain], { ...anything, tools: true }, dice(1))?.id).toBe(2);
    expect(pick([chatOnly, plain], { ...anything, stream: true }, dice(1))?.id).toBe(1);
  });
});
