import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";
import { describe, expect, it } from "vitest";
import type { UpstreamError } from "#dialects/ir.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { createHealth } from "./health.ts";

const account = 1;
const options = { account, cooldownSeconds: 5, mayDisable: false };
const error = (kind: UpstreamError["kind"], retryAfter?: number): UpstreamError => ({
  kind,
  message: kind,
  status: 500,
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

/** Returns a health tracker without a database: these tests do not cover the timeline. */
function health(nodes = 1, fault = "server") {
  let clock = 1_000_000;
  const answers = { fault, tests: [] as string[] };
  const made = createHealth({} as PrismaClient, {
    onError: () => undefined,
    now: () => clock,
    nodes: () => nodes,
    async test(_channel, model, cheap): Promise<ChannelTestResult> {
      answers.tests.push(`${model}${cheap ? "" : " at any price"}`);
      return {
        ok: answers.fault === "",
        model,
        duration: 1,
        message: answers.fault,
        message_facts: [],
        fault: answers.fault,
      };
    },
  });
  return Object.assign(made, {
    answers,
    wait: (seconds: number) => (clock += seconds * 1_000),
    /** Resolves after a started test has its verdict. */
    settled: () => new Promise((resolve) => setImmediate(resolve)),
  });
}

const one = channel({ id: 1 });
const keys = [1, 2, 3].map((id) => ({ id, key: `k${id}`, weight: 1 }));
const many = channel({ id: 2, keys });
const soleKey = { channel: one, key: one.keys[0] };

describe("a freeze", () => {
  it("lasts for one model of one channel, as long as the provider requests or the setting defines", () => {
    const state = health();
    state.failed(soleKey, "gpt", error("server"), options);
    state.failed(soleKey, "claude", error("rate-limited", 60), options);
    const usable = () => ["gpt", "claude", "other"].map((model) => state.usable(one, model, account));
    expect(usable()).toEqual([false, false, true]);
    state.wait(6);
    expect(usable()).toEqual([true, false, true]);
    expect(state.pause(one, "claude", account)).toMatchObject({ until: 1_060_000, hardUntil: 1_060_000 });
    state.wait(55);
    expect(usable()).toEqual([true, true, true]);
  });

  it("applies to one key for a failure of that key, and to the channel when no key is left", () => {
    const state = health();
    for (const key of keys.slice(0, 2)) {
      state.failed({ channel: many, key }, "gpt", error("rate-limited"), options);
      expect(state.usable(many, "gpt", account)).toBe(true);
      expect(state.keyUsable(many, key.id, "gpt", account)).toBe(false);
      expect(state.keyUsable(many, key.id, "claude", account)).toBe(true);
    }
    state.failed({ channel: many, key: keys[2] }, "gpt", error("auth", 30), options);
    expect(state.usable(many, "gpt", account)).toBe(false);
    expect(state.usable(many, "claude", account)).toBe(true);
    // The key without a pause requested by the provider may be tried first.
    expect(state.pause(many, "gpt", account)).toMatchObject({ until: 1_005_000, hardUntil: 0, keyId: 1 });
    expect(state.freezes(2).map(({ keyId, model }) => [keyId, model])).toEqual([
      [1, "gpt"],
      [2, "gpt"],
      [3, "*"],
    ]);
  });

  it("applies to all keys when the provider itself fails", () => {
    const state = health();
    state.failed({ channel: many, key: keys[0] }, "gpt", error("network"), options);
    expect(state.usable(many, "gpt", account)).toBe(false);
  });

  it("does not follow a bad request", () => {
    const state = health();
    state.failed(soleKey, "gpt", error("bad-request"), options);
    expect(state.usable(one, "gpt", account)).toBe(true);
  });

  it("applies only to the account whose call failed, whatever it sends", () => {
    const state = health();
    for (let call = 0; call < 100; call += 1)
      for (const kind of ["auth", "quota", "rate-limited", "server", "network", "not-found"] as const)
        state.failed(soleKey, "gpt", error(kind, 3_600), options);
    state.servedElsewhere(soleKey, "gpt", error("server"), account);
    expect(state.usable(one, "gpt", account)).toBe(false);
    expect(state.usable(one, "gpt", 2)).toBe(true);
    expect(state.pause(one, "gpt", 2)).toBeUndefined();
    expect(state.freezes(1)).toMatchObject([{ accounts: 1 }, { accounts: 1 }]);
  });

  it("applies to every account after failures of several accounts that other channels served", () => {
    const state = health();
    for (const who of [1, 2, 3]) {
      state.failed(soleKey, "gpt", error("server", 600), { ...options, account: who });
      expect(state.usable(one, "gpt", 9)).toBe(true);
    }
    // Requests that fail on every channel are no evidence against one channel.
    expect(state.freezes(1)).toMatchObject([{ accounts: 3 }]);
    for (const who of [1, 2, 3]) state.servedElsewhere(soleKey, "gpt", error("server"), who);
    expect(state.usable(one, "gpt", 9)).toBe(false);
    // The provider asked those accounts to wait, not this one.
    expect(state.pause(one, "gpt", 9)).toMatchObject({ hardUntil: 0, ownOnly: false });
    expect(state.freezes(1)).toMatchObject([{ accounts: 0 }]);
  });

  it("ends with a successful call and leaves the freezes of other accounts", () => {
    const state = health();
    for (const who of [1, 2]) state.failed(soleKey, "gpt", error("server"), { ...options, account: who });
    state.succeeded(soleKey, "gpt", 1);
    expect([1, 2].map((who) => state.usable(one, "gpt", who))).toEqual([true, false]);
  });

  it("uses bounded memory for very many accounts", () => {
    const state = health();
    for (let who = 1; who <= 3_000; who += 1)
      state.failed(soleKey, "gpt", error("server"), { ...options, account: who });
    expect(state.freezes(1)[0]?.accounts).toBeLessThanOrEqual(1_000);
    state.wait(6);
    expect(state.freezes(1)).toEqual([]);
  });
});

describe("a circuit", () => {
  const fail = (state: ReturnType<typeof health>, who = account) =>
    state.failed({ channel: one, key: undefined }, "gpt", error("server"), {
      ...options,
      account: who,
      cooldownSeconds: 0,
    });
  async function broken() {
    const state = health();
    for (let call = 0; call < 8; call += 1) fail(state);
    await state.settled();
    return state;
  }

  it("opens for every account only after too many calls of a window fail and a test confirms it", async () => {
    const state = health();
    for (let call = 0; call < 7; call += 1) fail(state);
    await state.settled();
    expect(state.answers.tests).toEqual([]);
    fail(state);
    await state.settled();
    expect(state.answers.tests).toEqual(["gpt"]);
    expect(state.usable(one, "gpt", 2)).toBe(false);
    expect(state.usable(one, "claude", 2)).toBe(true);
    expect(state.freezes(1)).toMatchObject([{ model: "gpt", reason: "circuit", accounts: 0 }]);
  });

  it("stays closed when the test succeeds, and waits a minute before the next test", async () => {
    const state = health(1, "");
    for (let call = 0; call < 200; call += 1) {
      fail(state);
      await state.settled();
    }
    expect(state.usable(one, "gpt", 2)).toBe(true);
    expect(state.answers.tests).toEqual(["gpt"]);
    state.wait(61);
    for (let call = 0; call < 20; call += 1) fail(state);
    await state.settled();
    expect(state.answers.tests).toEqual(["gpt", "gpt"]);
  });

  it("requires failures of several accounts where no test is possible", async () => {
    const state = health(1, cannotProbe);
    for (let call = 0; call < 20; call += 1) fail(state, 1 + (call % 2));
    await state.settled();
    expect(state.usable(one, "gpt", 9)).toBe(true);
    state.wait(61);
    for (let call = 0; call < 20; call += 1) fail(state, 1 + (call % 3));
    await state.settled();
    expect(state.usable(one, "gpt", 9)).toBe(false);
  });

  it("stays closed while most calls succeed", async () => {
    const state = health();
    for (let call = 0; call < 40; call += 1) {
      fail(state);
      for (let good = 0; good < 2; good += 1)
        state.succeeded({ channel: one, key: undefined }, "gpt", account);
    }
    await state.settled();
    expect(state.usable(one, "gpt", account)).toBe(true);
  });

  it("admits one real call at a time after the pause, and closes when it succeeds", async () => {
    const state = await broken();
    state.wait(31);
    expect(state.usable(one, "gpt", account)).toBe(true);
    const probe = state.enter(one, "gpt");
    expect(state.usable(one, "gpt", account)).toBe(false);
    // The client disconnected: no verdict, the next call tries.
    probe.leave();
    expect(state.usable(one, "gpt", account)).toBe(true);
    state.enter(one, "gpt");
    state.succeeded({ channel: one, key: undefined }, "gpt", account);
    expect(state.usable(one, "gpt", account)).toBe(true);
    state.enter(one, "gpt");
    expect(state.usable(one, "gpt", account)).toBe(true);
  });

  it("stays open twice as long when the probe call fails and a test confirms it", async () => {
    const state = await broken();
    state.wait(31);
    state.enter(one, "gpt");
    fail(state);
    await state.settled();
    state.wait(31);
    expect(state.usable(one, "gpt", 2)).toBe(false);
    state.wait(30);
    expect(state.usable(one, "gpt", 2)).toBe(true);
    // The failing request of one account cannot keep the circuit open.
    state.answers.fault = "";
    state.enter(one, "gpt");
    fail(state);
    await state.settled();
    expect(state.freezes(1)).toEqual([]);
  });

  it("ignores calls that started before it opened", async () => {
    const state = await broken();
    state.succeeded({ channel: one, key: undefined }, "gpt", account);
    expect(state.usable(one, "gpt", account)).toBe(false);
  });

  it("can be disabled, extended and made more sensitive", async () => {
    let rules = { enabled: false, share: 50, pauseMs: 30_000 };
    let clock = 1_000_000;
    const state = createHealth({} as PrismaClient, {
      onError: () => undefined,
      now: () => clock,
      circuit: () => rules,
      test: async (_channel, model) => ({
        ok: false,
        model,
        duration: 1,
        message: "",
        message_facts: [],
        fault: "server",
      }),
    });
    const calls = async (failing: number, of: number) => {
      for (let call = 0; call < of; call += 1)
        if (call < of - failing) state.succeeded(soleKey, "gpt", account);
        else state.failed(soleKey, "gpt", error("server"), { ...options, cooldownSeconds: 0 });
      await new Promise((resolve) => setImmediate(resolve));
    };
    await calls(20, 20);
    expect(state.freezes(1)).toEqual([]);
    rules = { enabled: true, share: 20, pauseMs: 90_000 };
    await calls(1, 1);
    await calls(3, 10);
    expect(state.freezes(1)).toMatchObject([{ reason: "circuit", until: clock + 90_000 }]);
    clock += 89_000;
    expect(state.usable(one, "gpt", account)).toBe(false);
  });
});

describe("a limit of concurrent calls", () => {
  const narrow = channel({ id: 3, maxConcurrency: 4 });

  it("counts a call until it leaves, and ignores repeated leaves", () => {
    const state = health();
    const calls = [1, 2, 3, 4].map(() => state.enter(narrow, "gpt"));
    expect(state.usable(narrow, "gpt", account)).toBe(false);
    expect(state.full(narrow)).toBe(true);
    calls[0]?.leave();
    calls[0]?.leave();
    expect(state.usable(narrow, "gpt", account)).toBe(true);
    state.enter(narrow, "gpt");
    expect(state.usable(narrow, "gpt", account)).toBe(false);
  });

  it("is divided among the nodes", () => {
    const state = health(2);
    state.enter(narrow, "gpt");
    state.enter(narrow, "gpt");
    expect(state.usable(narrow, "gpt", account)).toBe(false);
  });
});
