import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendEvents } from "./event-stream.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** An event every four seconds. */
async function* events(): AsyncGenerator<number> {
  for (let count = 1; ; count += 1) {
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    yield count;
  }
}

it("checks the caller's rights every five seconds, however often there are events", async () => {
  let isAllowed = true;
  let body: Readable | undefined;
  const reply = {
    header: () => reply,
    send: (sent: Readable) => {
      body = sent;
      return reply;
    },
  };
  sendEvents({ isStillAllowed: async () => isAllowed }, reply as unknown as FastifyReply, events());
  let isOpen = true;
  const read = body?.toArray().finally(() => (isOpen = false));
  await vi.advanceTimersByTimeAsync(11_000);
  expect(isOpen).toBe(true);
  isAllowed = false;
  await vi.advanceTimersByTimeAsync(4_500);
  expect(isOpen).toBe(false);
  expect(await read).toEqual([": open\n\n", "data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]);
});
