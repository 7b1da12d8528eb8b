import { describe, expect, it, vi } from "vitest";
import { insufficientQuota } from "#errors.ts";
import type { SocketMessage, MessageSocket } from "#platform/http/web-socket.ts";
import { createMemoryBudget } from "#platform/memory/memory-budget.ts";
import { openConnection } from "./connection.ts";
import { errorEvent } from "./error-event.ts";
import { createHistorySpace, openHistory } from "./history.ts";
import { readEvent } from "./read-event.ts";

function simulated() {
  const sent: { type: string; error?: { code: string } }[] = [];
  const queue: SocketMessage[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  const state = { isOpen: true, wake: () => {} };
  const socket: MessageSocket = {
    closed: closed.promise,
    async *messages() {
      while (state.isOpen) {
        const message = queue.shift();
        if (message === undefined) await new Promise<void>((resolve) => (state.wake = resolve));
        else yield message;
      }
    },
    async send(data) {
      sent.push(JSON.parse(String(data)) as (typeof sent)[number]);
    },
    close(given, reason) {
      state.isOpen = false;
      state.wake();
      closed.resolve({ code: given, reason });
    },
  };
  const say = (event: object) => {
    queue.push({ data: Buffer.from(JSON.stringify(event)), binary: false });
    state.wake();
  };
  return { socket, sent, say, closed: closed.promise };
}

const megabyte = 1024 * 1024;

/** Counts the history of an account in a memory budget. */
async function counted(budget = createMemoryBudget(64 * megabyte), owner = 1) {
  const memory = await budget.acquire(0, { owner: `user${owner}` });
  return { space: createHistorySpace(() => budget.capacity), owner, memory };
}

const create = { type: "response.create", model: "m", input: "Hi" };

describe("openConnection", () => {
  it("rejects new responses after its maximum age, and completes the one in progress", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { socket, sent, say, closed } = simulated();
    const answer = Promise.withResolvers<void>();
    let answered = 0;
    const connection = openConnection({
      socket,
      encode: (error) => errorEvent(error, "r"),
      idleMs: 60_000,
      maxAgeMs: 300,
      watch: () => () => {},
      history: openHistory(await counted()),
      admit: async () => {},
      arrived: () => () => {},
      async respond() {
        await answer.promise;
        answered += 1;
      },
    });
    say(create);
    const running = connection.run();
    await vi.advanceTimersByTimeAsync(700);
    answer.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect([answered, sent]).toEqual([1, []]);
    say(create);
    expect((await closed).code).toBe(1000);
    expect(sent).toMatchObject([{ type: "error", error: { code: "websocket_connection_limit_reached" } }]);
    await running;
    expect(answered).toBe(1);
    vi.useRealTimers();
  });
});

describe("readEvent", () => {
  it("reads the items of a continued response only for a request that has memory", async () => {
    const history = openHistory(await counted());
    const long = "x".repeat(megabyte);
    const item = JSON.stringify({ type: "message", role: "user", content: long });
    await history.keep("a", { parts: [item], model: "m", home: undefined });
    const parse = JSON.parse;
    let longest = 0;
    vi.spyOn(JSON, "parse").mockImplementation((text: string, ...rest) => {
      longest = Math.max(longest, text.length);
      return parse(text, ...rest) as unknown;
    });
    const event = readEvent(Buffer.from(JSON.stringify({ ...create, previous_response_id: "a" })), history);
    expect(event.bytes).toBeGreaterThan(megabyte);
    expect(longest).toBeLessThan(1_000);
    const { json, continued } = event.readWhole();
    vi.restoreAllMocks();
    expect(json.raw.length).toBeLessThanOrEqual(event.bytes);
    expect(continued).toEqual({ id: "a", items: 2, newItems: 1 });
  });
});

describe("openHistory", () => {
  const open = async (mostBytes?: number) => openHistory(await counted(), mostBytes);
  const kept = (...parts: string[]) => ({ parts, model: "m", home: undefined });

  it("forgets the oldest responses, and counts shared parts once", async () => {
    const history = await open(30);
    await history.keep("a", kept("x".repeat(10)));
    await history.keep("b", kept("x".repeat(10), "y".repeat(10)));
    await history.keep("c", kept("x".repeat(10), "y".repeat(10), "z".repeat(10)));
    expect(history.find("a")).toBeDefined();
    await history.keep("d", kept("w".repeat(15)));
    expect(history.find("d")).toBeDefined();
    expect(history.find("c")).toBeUndefined();
    await history.keep("e", kept("v".repeat(31)));
    expect(history.find("e")).toBeUndefined();
  });

  it("keeps at most 64 responses", async () => {
    const history = await open();
    for (let count = 0; count < 70; count += 1) await history.keep(`r${count}`, kept(`{"n":${count}}`));
    expect([history.find("r5"), history.find("r6")?.parts]).toEqual([undefined, ['{"n":6}']]);
  });

  it("counts in the memory budget until it is forgotten or its connection closes", async () => {
    const budget = createMemoryBudget(64 * megabyte);
    const history = openHistory(await counted(budget));
    await history.keep("a", kept("x".repeat(megabyte)));
    await history.keep("b", kept("x".repeat(megabyte), "é".repeat(megabyte)));
    expect(budget.used).toBe(3 * megabyte);
    history.close();
    expect(budget.used).toBe(0);
  });

  it("leaves most of the memory to calls, whatever the number of connections and accounts", async () => {
    const budget = createMemoryBudget(64 * megabyte);
    const space = createHistorySpace(() => budget.capacity);
    for (let connection = 0; connection < 24; connection += 1) {
      const owner = connection % 4;
      const history = openHistory({ ...(await counted(budget, owner)), space });
      for (let count = 0; count < 8; count += 1)
        await history.keep(`r${count}`, kept(`${connection} ${count} ${"x".repeat(megabyte)}`));
    }
    expect(budget.used).toBeGreaterThan(8 * megabyte);
    expect(budget.used).toBeLessThanOrEqual(16 * megabyte);
  });
});

describe("an event of a connection", () => {
  /** Opens a connection that parses nothing, and counts what it is asked. */
  async function opened(admit: () => Promise<void>) {
    const parts = simulated();
    const done = { admitted: 0, responses: 0, reserved: 0 };
    const running = Promise.withResolvers<void>();
    const connection = openConnection({
      socket: parts.socket,
      encode: (error) => errorEvent(error, "r"),
      history: openHistory(await counted()),
      idleMs: 60_000,
      maxAgeMs: 60_000,
      watch: () => () => {},
      async admit() {
        done.admitted += 1;
        await admit();
      },
      arrived() {
        done.reserved += 1;
        return () => {
          done.reserved -= 1;
        };
      },
      async respond() {
        done.responses += 1;
        await running.promise;
      },
    });
    return { ...parts, done, connection, answer: () => running.resolve() };
  }

  it("takes from the rate of its key, whatever its content, and the eleventh refusal closes the connection", async () => {
    const { say, sent, closed, done, connection } = await opened(async () => {});
    const run = connection.run();
    for (let count = 0; count < 20; count += 1) say({ type: "response.processed" });
    for (let count = 0; count < 20; count += 1) say({ type: "unknown" });
    expect((await closed).code).toBe(1008);
    await run;
    expect([done.admitted, sent.length, done.reserved]).toEqual([31, 11, 0]);
  });

  it("is refused unread while a response runs, and its memory is reserved until it was used", async () => {
    const { say, sent, done, connection, answer, socket } = await opened(async () => {});
    const run = connection.run();
    say(create);
    await expect.poll(() => done.responses).toBe(1);
    expect(done.reserved).toBe(1);
    say({ type: "response.create", broken: "x".repeat(2_000), input: { not: "valid" } });
    await expect.poll(() => sent.length).toBe(1);
    answer();
    await expect.poll(() => done.reserved).toBe(0);
    socket.close(1000, "");
    await run;
    expect(done.responses).toBe(1);
  });

  it("of an account without a balance is refused unread", async () => {
    const { say, sent, closed, done, connection } = await opened(async () => {
      throw insufficientQuota();
    });
    const run = connection.run();
    for (let count = 0; count < 12; count += 1) say({ ...create, generate: false });
    await closed;
    await run;
    expect([done.responses, sent.length]).toEqual([0, 11]);
    expect(sent[0]).toMatchObject({ type: "error", error: { code: "insufficient_quota" } });
  });
});
