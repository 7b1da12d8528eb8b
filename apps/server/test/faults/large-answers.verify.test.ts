import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/**
 * Responses of 50 MB, alone and twenty at once. None stops the event loop for longer than a plain JSON.parse of one of them
 * takes, and memory is free again.
 */
const MEGABYTE = 1024 * 1024;
const SIZE = 50 * MEGABYTE;
const AT_ONCE = 20;
/** A gigabyte of short events would take minutes. */
const SIZE_OF_STREAMS_AT_ONCE = 5 * MEGABYTE;
/** The process of a gateway that has served large responses. V8 gives memory back late. */
const MOST_MEMORY = 1_536 * MEGABYTE;

interface Shape {
  path: string;
  body: object;
  type?: string;
  before: string;
  filler: Buffer;
  after: string;
}

const text = Buffer.alloc(64 * 1024, "four score and seven years ago. ");
const base64 = Buffer.alloc(64 * 1024, "QUJDREVGR0hJSktM");
const vector = Buffer.from(`{"index":0,"embedding":[${"0.12345678,".repeat(6_000)}0]},`);
const question = { max_tokens: 20_000_000, messages: [{ role: "user", content: "Speak." }] };
const usage = '"usage":{"prompt_tokens":1000,"completion_tokens":2000,"total_tokens":3000}';
const chat = {
  before:
    '{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"',
  filler: text,
  after: `"}}],${usage}}`,
};
const chunk = (content: string) =>
  Buffer.from(
    `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`,
  );
const events = (content: string, copies: number) => ({
  type: "text/event-stream",
  before: "",
  filler: Buffer.concat(Array.from({ length: copies }, () => chunk(content))),
  after: `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],${usage}}\n\ndata: [DONE]\n\n`,
});

const shapes: Record<string, Shape> = {
  "a chat completion": { path: "/v1/chat/completions", body: question, ...chat },
  "a chat completion for a client of Messages": { path: "/v1/messages", body: question, ...chat },
  "a chat completion for a client of Gemini": {
    path: "/v1beta/models/m:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "Speak." }] }] },
    ...chat,
  },
  "an image": {
    path: "/v1/images/generations",
    body: { prompt: "a cat" },
    before: '{"created":1,"data":[{"b64_json":"',
    filler: base64,
    after: '"}],"usage":{"input_tokens":5,"output_tokens":7,"total_tokens":12}}',
  },
  embeddings: {
    path: "/v1/embeddings",
    body: { input: "text", encoding_format: "float" },
    before: '{"object":"list","data":[',
    filler: vector,
    after: '{"index":1,"embedding":[0]}],"usage":{"prompt_tokens":9,"total_tokens":9}}',
  },
  "a stream of short events": {
    path: "/v1/chat/completions",
    body: { ...question, stream: true },
    ...events("four score and ", 64),
  },
  "a stream of short events for a client of Messages": {
    path: "/v1/messages",
    body: { ...question, stream: true },
    ...events("four score and ", 64),
  },
  "a stream of events of 15 KB": {
    path: "/v1/chat/completions",
    body: { ...question, stream: true },
    ...events("four score and ".repeat(1_000), 1),
  },
};

let shape: Shape;
let size: number;
let place: TestDatabase;
let folder: string;
let gateway: GatewayProcess;
let provider: Server;
let key: string;

async function answer(response: ServerResponse, { type, before, filler, after }: Shape): Promise<void> {
  const write = async (piece: string | Buffer) => {
    if (response.write(piece) || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off("drain", done).off("close", done);
        resolve();
      };
      response.on("drain", done).on("close", done);
    });
  };
  response.writeHead(200, { "content-type": type ?? "application/json" });
  await write(before);
  for (let left = size; left > 0 && !response.destroyed; left -= filler.length) await write(filler);
  response.end(after);
}

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.resume().on("end", () => void answer(response, shape));
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, "127.0.0.1", resolve);
  });
  place = await installedDatabase();
  folder = await mkdtemp(join(tmpdir(), "gateway-large-"));
  gateway = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: folder,
    MEMORY_BUDGET_MB: "512",
    NODE_OPTIONS: `--import ${join(import.meta.dirname, "loop-stops.ts")}`,
  });
  const values = { RetryTimes: 0, RetryCooldownSeconds: 0, AutomaticDisableChannelEnabled: false };
  await gateway.api("PUT", "/option/batch", { values });
  const price = { model: "m", type: "tokens", channel_type: 1, input: 0.001, output: 0.001 };
  await gateway.api("POST", "/prices/single", price);
  await gateway.api("POST", "/channel", {
    type: 1,
    name: "large",
    base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    key: "provider-key",
    models: ["m"],
    groups: ["default"],
  });
  ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "large" }));
});
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  provider.closeAllConnections();
  provider.close();
  await place.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the status of the response, and the bytes that came. */
function ask({ path, body }: Shape): Promise<{ status: number; bytes: number }> {
  const socket = connectSocket(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
  const sent = JSON.stringify({ model: "m", ...body });
  let head = "";
  let bytes = 0;
  socket.on("data", (piece) => {
    if (head.length < 20) head += piece.toString("latin1", 0, 20);
    bytes += piece.length;
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`,
  );
  return new Promise((resolve) => {
    socket.once("close", () => resolve({ status: Number(head.slice(9, 12)), bytes }));
  });
}

/** Returns the longest stop of the gateway's event loop since then, in milliseconds. */
async function longestStop(since: number): Promise<number> {
  const rows = await readFile(join(folder, "loop-stops"), "utf8").catch(() => "");
  const stops = rows.split("\n").map((row) => row.split(" ").map(Number));
  return Math.max(0, ...stops.filter(([at = 0]) => at >= since).map(([, ms = 0]) => ms));
}

/** Returns how long JSON.parse takes for a text of this size, in milliseconds of this thread. */
function parseMs(): number {
  const json = JSON.stringify({ text: text.toString().repeat(SIZE / text.length) });
  const used = process.threadCpuUsage();
  JSON.parse(json);
  const { user, system } = process.threadCpuUsage(used);
  return (user + system) / 1_000;
}

async function memory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

describe("a response of 50 MB", () => {
  it.each(Object.keys(shapes).flatMap((name) => [[name, 1] as const, [name, AT_ONCE] as const]))(
    "%s, %i at once, leaves the event loop to others",
    async (name, count) => {
      shape = shapes[name] ?? shape;
      size = shape.type === "text/event-stream" && count > 1 ? SIZE_OF_STREAMS_AT_ONCE : SIZE;
      const since = Date.now();
      const answers = await Promise.all(Array.from({ length: count }, () => ask(shape)));
      await sleep(100);
      const limit = 2 * Math.max(parseMs(), parseMs());
      const stop = await longestStop(since);
      const used = await memory();
      console.log(
        `LARGE ${name} × ${count}: ${stop} ms, JSON.parse twice ${Math.round(limit)} ms, ${Math.round(used / MEGABYTE)} MB`,
      );
      // What does not fit into the memory budget is refused.
      for (const { status, bytes } of answers)
        if (status !== 503)
          expect({ status, isWhole: bytes >= size }).toEqual({ status: 200, isWhole: true });
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      expect(stop).toBeLessThan(Math.max(100, limit));
      expect(used).toBeLessThan(MOST_MEMORY);
    },
  );
});
