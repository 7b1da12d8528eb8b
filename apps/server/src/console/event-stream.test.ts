import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
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

/** Opens a stream of this account. */
function open(id: number, isStillAllowed = async () => true): Readable {
  let body: Readable | undefined;
  const reply = {
    header: () => reply,
    send: (sent: Readable) => {
      body = sent;
      return reply;
    },
  };
  const request = { isStillAllowed, ip: "192.0.2.1", viewer: { id } } as FastifyRequest;
  sendEvents(request, reply as unknown as FastifyReply, events());
  if (body === undefined) throw new Error("no body");
  return body;
}

it("an account has at most 32 streams, and another one has its own", async () => {
  const streams = Array.from({ length: 32 }, () => open(1));
  expect(() => open(1)).toThrow(expect.objectContaining({ code: "rate_limit_exceeded", retryAfter: 10 }));
  open(2).destroy();
  const [first] = streams;
  const closed = new Promise((resolve) => first?.once("close", resolve));
  first?.destroy();
  await closed;
  streams.push(open(1));
  for (const stream of streams) stream.destroy();
});

it("checks the caller's rights every five seconds, however often there are events", async () => {
  let isAllowed = true;
  const body = open(3, async () => isAllowed);
  let isOpen = true;
  const read = body.toArray().finally(() => (isOpen = false));
  await vi.advanceTimersByTimeAsync(11_000);
  expect(isOpen).toBe(true);
  isAllowed = false;
  await vi.advanceTimersByTimeAsync(4_500);
  expect(isOpen).toBe(false);
  expect(await read).toEqual([": open\n\n", "data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]);
});
