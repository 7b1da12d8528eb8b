import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RequestProgress, UpstreamResponse } from "./exchange.ts";
import { createUpstreamClient } from "./http.ts";
import type { BodyFlow } from "./response-body.ts";

const MEGABYTE = 1024 * 1024;
const SIZE = 8 * MEGABYTE;
const RESPONSES = 4;
/** The bytes of a turn, the last of which may bring a whole chunk, and the first bytes of each response. */
const MOST_PER_TURN = (256 + 64 + RESPONSES * 64) * 1024;
/** A reader that asks for its chunks gets what has arrived: one read of each socket, and a join. */
const MOST_CHUNKS_PER_TURN = (256 + RESPONSES * 128) * 1024;
/** Bytes of one response that wait for a reader that has paused, at least. */
const WAITING = 128 * 1024;

const body = Buffer.alloc(SIZE, "four score and ");
const client = createUpstreamClient();
const server = createServer((request, response) => {
  request.resume().on("end", () => void response.end(body));
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  await client.close();
  server.close();
});

const paused: BodyFlow[] = [];
let arrived = 0;

/** Counts what arrives, and lets the paused responses go on together. */
const progress: RequestProgress = {
  sent() {},
  answered() {},
  received(bytes) {
    arrived += bytes;
    if (paused.length < RESPONSES || arrived < RESPONSES * WAITING) return;
    for (const flow of paused.splice(0)) flow.resume();
  },
};

function ask(): Promise<UpstreamResponse> {
  return client.send({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    method: "POST",
    headers: {},
    body: "x",
    proxy: "",
    connectTimeoutMs: 5_000,
    firstByteTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    signal: undefined,
    progress,
  });
}

/** Counts bytes of all responses by turns of the event loop, until `over`. */
function countTurns(): { add(bytes: number): void; most(): number; over(): void } {
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  const nextTurn = () => {
    most = Math.max(most, inTurn);
    inTurn = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  return {
    add: (bytes) => void (inTurn += bytes),
    most: () => Math.max(most, inTurn),
    over: () => void (isOver = true),
  };
}

const readers: Record<string, (response: UpstreamResponse, add: (bytes: number) => void) => Promise<void>> = {
  async chunks(response, add) {
    for await (const chunk of response.chunks()) add(chunk.length);
  },
  read(response, add) {
    return new Promise<void>((resolve, reject) => {
      response.read({ data: (chunk) => add(chunk.length), end: resolve, fail: reject });
    });
  },
  /** Clients that stop reading, and go on together when some of the response waits for each. */
  "read after a pause"(response, add) {
    return new Promise<void>((resolve, reject) => {
      const flow = response.read({ data: (chunk) => add(chunk.length), end: resolve, fail: reject });
      flow.pause();
      paused.push(flow);
    });
  },
};

describe("large responses that arrive at once", () => {
  it.each(Object.keys(readers))(
    "leave the turns of the event loop to others, read with %s",
    async (reader) => {
      arrived = 0;
      const turns = countTurns();
      const sizes = await Promise.all(
        Array.from({ length: RESPONSES }, async () => {
          let size = 0;
          await readers[reader]?.(await ask(), (bytes) => {
            size += bytes;
            turns.add(bytes);
          });
          return size;
        }),
      );
      turns.over();
      expect(sizes).toEqual(Array.from({ length: RESPONSES }, () => SIZE));
      expect(turns.most()).toBeLessThanOrEqual(reader === "chunks" ? MOST_CHUNKS_PER_TURN : MOST_PER_TURN);
    },
  );
});
