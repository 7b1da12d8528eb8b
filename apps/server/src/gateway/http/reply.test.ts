import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it, vi } from "vitest";
import type { Answer, TextReader, TextStream } from "#relay/core/call.ts";
import { heartbeatMs, sendAnswer, sendWhenReady } from "./reply.ts";

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** Returns what a client reads of a response that is ready after some time. */
async function read(pending: () => Promise<Answer>, early: boolean, beatMs = 50): Promise<Response> {
  app = Fastify();
  app.get("/", async (_request, reply) => {
    const options = {
      heartbeat: ": beat\n\n",
      heartbeatMs: beatMs,
      headers: { "x-limit": "1" },
      signal: new AbortController().signal,
      streams: { inc() {}, dec() {} },
    };
    const contentType = "text/event-stream";
    const fail = (error: unknown) => `data: ${String(error)}\n\n`;
    await (early
      ? sendWhenReady(reply, pending(), options, { contentType, fail })
      : sendAnswer(reply, await pending(), options));
    return reply;
  });
  return fetch(await app.listen({ port: 0, host: "127.0.0.1" }));
}

/** Creates a stream of these frames. A promise is a pause until it resolves. */
const streamOf = (...frames: (string | Promise<void>)[]): Answer => ({
  kind: "stream",
  headers: { "content-type": "text/event-stream", "x-upstream-request-id": "v", "set-cookie": "a=1" },
  stream: streamFrom(
    (async function* () {
      for (const frame of frames)
        if (typeof frame === "string") yield frame;
        else await frame;
    })(),
  ),
});

/** Returns the stream of pieces that are taken as the client accepts them. */
function streamFrom(pieces: AsyncGenerator<string, void, undefined>): TextStream {
  let client: TextReader | undefined;
  async function next(): Promise<void> {
    for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next())
      if (client?.write(piece.value) !== true) return;
    client?.end();
  }
  return {
    start(reader) {
      client = reader;
      void next();
    },
    resume: () => void next(),
    async leave() {
      client = undefined;
      await pieces.return();
    },
  };
}

/** Returns the text of a response. Calls `goOn` once it contains three heartbeats. */
async function textOf(response: Response, goOn: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.split(": beat\n\n").length > 3) goOn();
  }
  return text;
}

it("begins a stream before the response is ready, and sends heartbeats until then", async () => {
  const answer = Promise.withResolvers<Answer>();
  const response = await read(() => answer.promise, true);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("x-limit")).toBe("1");
  const text = await textOf(response, () => answer.resolve(streamOf("data: hello\n\n")));
  expect(text).toMatch(/^(: beat\n\n){3,}data: hello\n\n$/);
});

it("sends a normal response when it is ready in time", async () => {
  const response = await read(async () => streamOf("data: hello\n\n"), true, 10_000);
  expect(response.headers.get("x-upstream-request-id")).toBe("v");
  expect(response.headers.get("set-cookie")).toBeNull();
  expect(await response.text()).toBe("data: hello\n\n");
});

it("sends an error in the stream after it has begun, and as an error response before", async () => {
  const answer = Promise.withResolvers<Answer>();
  const late = await read(() => answer.promise, true);
  expect(late.status).toBe(200);
  answer.reject(new Error("late"));
  expect(await late.text()).toMatch(/data: Error: late\n\n$/);
  await app?.close();
  const soon = await read(() => Promise.reject(new Error("soon")), true, 10_000);
  expect(soon.status).toBe(500);
});

it("sends heartbeats during a pause between two frames", async () => {
  const silence = Promise.withResolvers<void>();
  const response = await read(async () => streamOf("data: a\n\n", silence.promise, "data: b\n\n"), false);
  expect(await textOf(response, silence.resolve)).toMatch(/^data: a\n\n(: beat\n\n){3,}data: b\n\n$/);
});

it("uses the heartbeat of the token, else the operator's", () => {
  expect(heartbeatMs({ enabled: true, timeout_seconds: 45 }, 15)).toBe(45_000);
  expect(heartbeatMs({ enabled: false, timeout_seconds: 45 }, 15)).toBe(15_000);
  expect(heartbeatMs({ enabled: false, timeout_seconds: 45 }, 0)).toBe(0);
});

/** Serves an endless response. Returns the port, and a promise that resolves when the response was left. */
async function serveEndless(stalledMs: number): Promise<{ port: number; left: Promise<void> }> {
  const left = Promise.withResolvers<void>();
  app = Fastify();
  app.get("/", async (_request, reply) => {
    const options = {
      heartbeat: "",
      heartbeatMs: 0,
      headers: {},
      signal: new AbortController().signal,
      stalledMs,
      streams: { inc() {}, dec() {} },
    };
    const frames = (async function* () {
      const frame = `data: ${"x".repeat(300_000)}\n\n`;
      try {
        for (;;) yield frame;
      } finally {
        left.resolve();
      }
    })();
    await sendAnswer(reply, { kind: "stream", headers: {}, stream: streamFrom(frames) }, options);
    return reply;
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { port: (app.server.address() as AddressInfo).port, left: left.promise };
}

it("leaves a response whose client stays connected but accepts nothing any more", async () => {
  const { port, left } = await serveEndless(300);
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  await left;
  socket.resume();
  await closed;
});

it("continues for a client that reads slowly, until it stops reading", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  try {
    const { port, left } = await serveEndless(3_000);
    const served = new Promise<Socket>((resolve) => app?.server.once("connection", resolve));
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    const ours = await served;
    const accepted = () => ours.bytesWritten - ours.writableLength;
    let isLeft = false;
    void left.then(() => (isLeft = true));
    for (let round = 0; round < 5; round += 1) {
      const before = accepted();
      socket.resume();
      await expect.poll(accepted).toBeGreaterThan(before);
      socket.pause();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(isLeft).toBe(false);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    await left;
    socket.destroy();
  } finally {
    vi.useRealTimers();
  }
});

it.each([
  ["large", 30_000_000],
  ["small", 60_000],
])("ends a %s complete response whose client accepts nothing any more", async (_size, length) => {
  app = Fastify();
  const over = Promise.withResolvers<void>();
  app.get("/", async (_request, reply) => {
    reply.raw.once("close", over.resolve);
    // Corks the socket, so that a small response waits as if the operating system did not accept it.
    reply.raw.socket?.cork();
    await sendAnswer(
      reply,
      { kind: "body", headers: {}, body: "x".repeat(length) },
      {
        heartbeat: "",
        heartbeatMs: 0,
        headers: {},
        signal: new AbortController().signal,
        stalledMs: 300,
        streams: { inc() {}, dec() {} },
      },
    );
    return reply;
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await over.promise;
  socket.destroy();
});

it("sends a large complete response with its length", async () => {
  const body = "ä".repeat(100_000);
  const response = await read(async () => ({ kind: "body", headers: {}, body }), false);
  expect(response.headers.get("content-length")).toBe("200000");
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await response.text()).toBe(body);
});

it("sendWhenReady: ends a complete response whose client accepts nothing any more, after the stream has begun", async () => {
  app = Fastify();
  const gone = Promise.withResolvers<void>();
  app.get("/", async (_request, reply) => {
    reply.raw.once("close", () => gone.resolve());
    const pending = sleep(60).then((): Answer => ({
      kind: "body",
      headers: {},
      body: "x".repeat(20_000_000),
    }));
    const options = {
      heartbeat: "\n",
      heartbeatMs: 20,
      headers: {},
      signal: new AbortController().signal,
      stalledMs: 300,
      streams: { inc() {}, dec() {} },
    };
    await sendWhenReady(reply, pending, options, { contentType: "application/json", fail: String });
    return reply;
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  await gone.promise;
  socket.destroy();
});
