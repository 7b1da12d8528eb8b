import { describe, expect, it } from "vitest";
import type { UpstreamError } from "#dialects/ir.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { channel } from "./channels.fixture.ts";
import { createHealth } from "./health.ts";

const options = { cooldownSeconds: 5, mayDisable: false };
const error = (kind: UpstreamError["kind"], retryAfter?: number): UpstreamError => ({
  kind,
  message: kind,
  status: 500,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

/** What would be written to the time line is not what is tested here: no database is there to take it. */
function health(nodes = 1) {
  let clock = 1_000_000;
  const made = createHealth({} as PrismaClient, {
    onError: () => undefined,
    now: () => clock,
    nodes: () => nodes,
  });
  return { ...made, wait: (seconds: number) => (clock += seconds * 1_000) };
}

const one = channel({ id: 1 });
const keys = [1, 2, 3].map((id) => ({ id, key: `k${id}`, weight: 1 }));
const many = channel({ id: 2, keys });

describe("a freeze", () => {
  it("holds for one model of one channel, as long as the vendor asks or the setting says", () => {
    const state = health();
    state.failed({ channel: one, key: one.keys[0] }, "gpt", error("server"), options);
    state.failed({ channel: one, key: one.keys[0] }, "claude", error("rate-limited", 60), options);
    expect([state.usable(one, "gpt"), state.usable(one, "claude"), state.usable(one, "other")]).toEqual([
      false,
      false,
      true,
    ]);
    state.wait(6);
    expect([state.usable(one, "gpt"), state.usable(one, "claude")]).toEqual([true, false]);
    expect(state.thawsIn([one], "claude")).toBe(54_000);
    state.wait(55);
    expect(state.usable(one, "claude")).toBe(true);
  });

  it("holds for the key alone when it is the key's, and for the channel when no key is left", () => {
    const state = health();
    for (const key of keys.slice(0, 2)) {
      state.failed({ channel: many, key }, "gpt", error("rate-limited"), options);
      expect(state.usable(many, "gpt")).toBe(true);
      expect(state.keyUsable(many, key.id, "gpt")).toBe(false);
      expect(state.keyUsable(many, key.id, "claude")).toBe(true);
    }
    state.failed({ channel: many, key: keys[2] }, "gpt", error("auth", 30), options);
    expect(state.usable(many, "gpt")).toBe(false);
    expect(state.usable(many, "claude")).toBe(true);
    expect(state.thawsIn([many], "gpt")).toBe(5_000);
    expect(state.freezes(2).map(({ keyId, model }) => [keyId, model])).toEqual([
      [1, "gpt"],
      [2, "gpt"],
      [3, "*"],
    ]);
  });

  it("is for all keys when the vendor itself fails", () => {
    const state = health();
    state.failed({ channel: many, key: keys[0] }, "gpt", error("network"), options);
    expect(state.usable(many, "gpt")).toBe(false);
  });

  it("is not for a caller's own mistake", () => {
    const state = health();
    state.failed({ channel: one, key: one.keys[0] }, "gpt", error("bad-request"), options);
    expect(state.usable(one, "gpt")).toBe(true);
  });
});

describe("a circuit", () => {
  function broken() {
    const state = health();
    for (let call = 0; call < 8; call += 1)
      state.failed({ channel: one, key: undefined }, "gpt", error("server"), {
        ...options,
        cooldownSeconds: 0,
      });
    return state;
  }
  const fail = (state: ReturnType<typeof health>) =>
    state.failed({ channel: one, key: undefined }, "gpt", error("server"), {
      ...options,
      cooldownSeconds: 0,
    });

  it("opens when too many calls of a window fail, and not before", () => {
    const state = health();
    for (let call = 0; call < 7; call += 1) fail(state);
    expect(state.usable(one, "gpt")).toBe(true);
    fail(state);
    expect(state.usable(one, "gpt")).toBe(false);
    expect(state.usable(one, "claude")).toBe(true);
    expect(state.freezes(1)).toMatchObject([{ model: "gpt", reason: "circuit" }]);
  });

  it("stays closed while most calls go well", () => {
    const state = health();
    for (let call = 0; call < 40; call += 1) {
      fail(state);
      for (let good = 0; good < 2; good += 1) state.succeeded({ channel: one, key: undefined }, "gpt");
    }
    expect(state.usable(one, "gpt")).toBe(true);
  });

  it("lets one real call at a time try, and closes when it goes well", () => {
    const state = broken();
    state.wait(31);
    expect(state.usable(one, "gpt")).toBe(true);
    const probe = state.enter(one, "gpt");
    expect(state.usable(one, "gpt")).toBe(false);
    // Its client left: no verdict, the next call tries.
    probe.leave();
    expect(state.usable(one, "gpt")).toBe(true);
    state.enter(one, "gpt");
    state.succeeded({ channel: one, key: undefined }, "gpt");
    expect(state.usable(one, "gpt")).toBe(true);
    state.enter(one, "gpt");
    expect(state.usable(one, "gpt")).toBe(true);
  });

  it("opens for twice as long when the probe fails, or as long as the vendor asks", () => {
    const state = broken();
    state.wait(31);
    state.enter(one, "gpt");
    fail(state);
    state.wait(31);
    expect(state.usable(one, "gpt")).toBe(false);
    state.wait(30);
    expect(state.usable(one, "gpt")).toBe(true);
    state.enter(one, "gpt");
    state.failed({ channel: one, key: undefined }, "gpt", error("overloaded", 600), options);
    state.wait(500);
    expect(state.usable(one, "gpt")).toBe(false);
    expect(state.thawsIn([one], "gpt")).toBe(100_000);
  });

  it("does not listen to calls that set out before it opened", () => {
    const state = broken();
    state.succeeded({ channel: one, key: undefined }, "gpt");
    expect(state.usable(one, "gpt")).toBe(false);
  });
});

describe("a limit of concurrent calls", () => {
  const narrow = channel({ id: 3, maxConcurrency: 4 });

  it("holds until the calls are over, however often they say so", () => {
    const state = health();
    const calls = [1, 2, 3, 4].map(() => state.enter(narrow, "gpt"));
    expect(state.usable(narrow, "gpt")).toBe(false);
    expect(state.busy([one, narrow])).toBe(true);
    calls[0]?.leave();
    calls[0]?.leave();
    expect(state.usable(narrow, "gpt")).toBe(true);
    state.enter(narrow, "gpt");
    expect(state.usable(narrow, "gpt")).toBe(false);
  });

  it("is shared by the nodes", () => {
    const state = health(2);
    state.enter(narrow, "gpt");
    state.enter(narrow, "gpt");
    expect(state.usable(narrow, "gpt")).toBe(false);
  });
});
