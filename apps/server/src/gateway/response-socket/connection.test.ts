import { describe, expect, it, vi } from "vitest";
import type { Message, MessageSocket } from "#platform/web-socket.ts";
import { openConnection } from "./connection.ts";
import { errorEvent } from "./error-event.ts";
import { openHistory } from "./history.ts";

function simulated() {
  const sent: { type: string; error?: { code: string } }[] = [];
  const queue: Message[] = [];
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
      read: () => {},
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

describe("openHistory", () => {
  const kept = (...parts: string[]) => ({ parts, model: "m", home: undefined });

  it("forgets the oldest responses, and counts shared parts once", () => {
    const history = openHistory(30);
    history.keep("a", kept("x".repeat(10)));
    history.keep("b", kept("x".repeat(10), "y".repeat(10)));
    history.keep("c", kept("x".repeat(10), "y".repeat(10), "z".repeat(10)));
    expect(history.find("a")).toBeDefined();
    history.keep("d", kept("w".repeat(15)));
    expect(history.find("d")).toBeDefined();
    expect(history.find("c")).toBeUndefined();
    history.keep("e", kept("v".repeat(31)));
    expect(history.find("e")).toBeUndefined();
  });

  it("keeps at most 64 responses", () => {
    const history = openHistory();
    for (let count = 0; count < 70; count += 1) history.keep(`r${count}`, kept(`{"n":${count}}`));
    expect([history.find("r5"), history.find("r6")?.parts]).toEqual([undefined, ['{"n":6}']]);
  });
});
