import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect as connectSocket, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** Complete responses of many megabytes pass with bounded memory and are charged like others. */
const MEGABYTE = 1024 * 1024;
const BUDGET = 128;
const CALLS = 10;
const SIZE = 40 * MEGABYTE;

let place: TestDatabase;
let database: Database;
let folder: string;
let gateway: GatewayProcess;
let provider: Server;
let key: string;

/** Body of the provider's response: text before, a number of filler bytes, and text after. */
interface Shape {
  before: string;
  filling: number;
  after: string;
  /** Closes the connection after the filler. */
  isBroken?: boolean;
  /** Milliseconds between the last brace of the response and its end. */
  lingerMs?: number;
  length?: boolean;
}
let shape: Shape = { before: "", filling: 0, after: "" };
/** Bytes that the provider has sent. */
let sent = 0;

const block = Buffer.alloc(64 * 1024, "four score and seven years ago. ");

async function answer(
  response: ServerResponse,
  { before, filling, after, ...options }: Shape,
): Promise<void> {
  const { isBroken = false, lingerMs = 0, length = false } = options;
  const total = before.length + filling + after.length;
  response.writeHead(200, {
    "content-type": "application/json",
    ...(length ? { "content-length": String(total) } : {}),
  });
  const write = async (piece: string | Buffer) => {
    sent += piece.length;
    if (!response.write(piece) && !response.destroyed)
      await new Promise<void>((resolve) => {
        const done = () => {
          response.off("drain", done).off("close", done);
          resolve();
        };
        response.on("drain", done).on("close", done);
      });
  };
  await write(before);
  for (let left = filling; left > 0 && !response.destroyed; left -= block.length)
    await write(left < block.length ? block.subarray(0, left) : block);
  if (isBroken) {
    await sleep(50);
    response.destroy();
    return;
  }
  await write(after);
  for (let waited = 0; waited < lingerMs && !response.destroyed; waited += 50) {
    await write("\n");
    await sleep(50);
  }
  response.end();
}

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.resume().on("end", () => void answer(response, shape));
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, "127.0.0.1", resolve);
  });
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  folder = await mkdtemp(join(tmpdir(), "gateway-large-"));
  gateway = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: folder,
    MEMORY_BUDGET_MB: String(BUDGET),
  });
  const values = { RetryTimes: 0, RetryCooldownSeconds: 0, AutomaticDisableChannelEnabled: false };
  await gateway.api("PUT", "/option/batch", { values: { ...values, DisconnectDrainSeconds: 1 } });
  const models = ["chat", "image", "embedding"];
  for (const model of models)
    await gateway.api("POST", "/prices/single", {
      model,
      type: "tokens",
      channel_type: 1,
      input: 1,
      output: 1,
    });
  await gateway.api("POST", "/channel", {
    type: 1,
    name: "large",
    base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    key: "provider-key",
    models,
    groups: ["default"],
  });
}, 60_000);
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  await database.close();
  await place.drop();
  provider.closeAllConnections();
  provider.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  sent = 0;
  ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "large" }));
});

/** Memory of the gateway's process, in bytes. */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

interface Client {
  socket: Socket;
  /** The received response: its head, the beginning and the last bytes of the body, and its size. */
  head: string;
  body: number;
  last: string;
  closed: Promise<void>;
  isClosed: boolean;
}

function ask(path: string, body: object, headers: Record<string, string> = {}): Client {
  const socket = connectSocket(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: "gateway",
    connection: "close",
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`);
  const closing = Promise.withResolvers<void>();
  const client: Client = { socket, head: "", body: 0, last: "", closed: closing.promise, isClosed: false };
  socket.on("data", (bytes) => {
    client.body += bytes.length;
    if (client.head.length < 2_000) client.head += bytes.toString("latin1", 0, 2_000);
    client.last = (client.last + bytes.toString("latin1", Math.max(0, bytes.length - 2_000))).slice(-2_000);
  });
  socket.once("close", () => {
    client.isClosed = true;
    closing.resolve();
  });
  return client;
}

/** Pauses the clients after the beginning, until the provider cannot send more. Then they continue. */
async function slowly(clients: readonly Client[], look: () => Promise<void>): Promise<void> {
  const pausing = clients.map(({ socket }) => {
    const pause = () => void socket.pause();
    socket.on("data", pause);
    return () => socket.off("data", pause).resume();
  });
  let before = -1;
  while (sent !== before) {
    before = sent;
    await sleep(700);
  }
  await look();
  for (const resume of pausing) resume();
  await Promise.all(clients.map((client) => client.closed));
}

const status = ({ head }: Client) => Number(head.slice(9, 12));

/** Number of reservations of calls. Leases of the node are not counted. */
function openCalls(): Promise<number> {
  return database.db.reservation.count({ where: { request_id: { not: { startsWith: "lease-" } } } });
}

/** Returns the log rows of the current key, after all bills are closed. */
async function rows(): Promise<LogRow[]> {
  await expect.poll(openCalls).toBe(0);
  const { id } = await database.db.token.findFirstOrThrow({ orderBy: { id: "desc" } });
  expect((await audit(database.pool)).drift).toBe(0n);
  const { data } = await gateway.api<LogPage>("GET", "/log?size=100");
  return data.filter((row) => row.token_id === id);
}

const usage = '"usage":{"prompt_tokens":1000,"completion_tokens":2000,"total_tokens":3000}';
const chatStart =
  '{"id":"c","object":"chat.completion","model":"chat","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"';
const chat = (filling: number): Shape => ({ before: chatStart, filling, after: `"}}],${usage}}` });
const question = { model: "chat", max_tokens: 100_000, messages: [{ role: "user", content: "Speak." }] };

describe("large answers", () => {
  it(
    "pass to slow clients with bounded memory, and each is charged once",
    { tags: "nightly", timeout: 180_000 },
    async () => {
      shape = chat(SIZE);
      const before = await memory();
      const clients = Array.from({ length: CALLS }, () => ask("/v1/chat/completions", question));
      let grown = 0;
      await slowly(clients, async () => {
        grown = (await memory()) - before;
      });
      // Buffered responses would take all of it. On a busy machine V8 frees forwarded data later.
      expect(grown).toBeLessThan((CALLS * SIZE) / 2);
      expect((await memory()) - before).toBeLessThan((CALLS * SIZE) / 2);
      for (const client of clients) {
        expect(status(client)).toBe(200);
        expect(client.body).toBeGreaterThan(SIZE);
        expect(client.last).toContain(usage);
      }
      const all = await rows();
      expect(all.length).toBe(CALLS);
      for (const row of all)
        expect(row).toMatchObject({
          outcome: "complete",
          prompt_tokens: 1000,
          completion_tokens: 2000,
          quota: 3000,
        });
    },
  );

  it(
    "that are translated count towards the memory budget: served, or rejected with 503 and free",
    { tags: "nightly", timeout: 180_000 },
    async () => {
      const before = await memory();
      shape = { ...chat(20 * MEGABYTE), length: true };
      const clients = Array.from({ length: CALLS }, () =>
        ask("/v1/messages", question, { "x-api-key": key }),
      );
      let grown = 0;
      await slowly(clients, async () => {
        grown = (await memory()) - before;
      });
      // Each translated response is parsed as a whole. All of them together would need several times their bytes.
      expect(grown).toBeLessThan(CALLS * 20 * MEGABYTE * 2);
      const served = clients.filter((client) => status(client) === 200);
      const refused = clients.filter((client) => status(client) === 503);
      expect(served.length).toBeGreaterThan(0);
      expect(served.length + refused.length).toBe(CALLS);
      for (const client of served) expect(client.body).toBeGreaterThan(20 * MEGABYTE);
      for (const { head } of refused) {
        expect(head).toMatch(/retry-after: \d/i);
        expect(head).toContain("memory");
      }
      const all = await rows();
      expect(all.filter(({ quota }) => quota === 3000).length).toBe(served.length);
      expect(all.filter(({ quota }) => quota === 0).length).toBe(refused.length);
    },
  );

  it("do not end before their bill is closed, whatever their provider sends afterwards", async () => {
    shape = { ...chat(2 * MEGABYTE), lingerMs: 1_500 };
    const client = ask("/v1/chat/completions", question);
    await expect.poll(() => client.body).toBeGreaterThan(2 * MEGABYTE - 8_192);
    for (let look = 0; look < 10; look += 1) {
      await sleep(80);
      if (client.isClosed) break;
      if ((await openCalls()) === 0) break;
      expect(client.last).not.toContain("}}");
    }
    await client.closed;
    expect(client.last).toContain(usage);
    expect(await rows()).toMatchObject([{ outcome: "complete", quota: 3000 }]);
  });

  it("that break off are truncated, and charged for what was delivered", async () => {
    shape = { ...chat(2 * MEGABYTE), isBroken: true };
    const client = ask("/v1/chat/completions", question);
    await client.closed;
    expect(client.last).not.toContain("\r\n0\r\n\r\n");
    const [row] = await rows();
    expect(row?.outcome).toBe("upstream-died");
    expect(row?.quota).toBeGreaterThan(0);
  });

  it("whose client disconnects are charged for their input and the delivered text", async () => {
    shape = chat(200 * MEGABYTE);
    const client = ask("/v1/chat/completions", question);
    await expect.poll(() => client.body).toBeGreaterThan(MEGABYTE);
    client.socket.destroy();
    const [row] = await rows();
    expect(row?.outcome).toBe("client-left");
    expect(row?.completion_tokens).toBeGreaterThan(0);
    expect(sent).toBeLessThan(200 * MEGABYTE);
  });

  it("whose client disconnects near the end are charged by the provider's usage", async () => {
    shape = chat(8 * MEGABYTE);
    const client = ask("/v1/chat/completions", question);
    await expect.poll(() => client.body).toBeGreaterThan(MEGABYTE);
    client.socket.destroy();
    expect(await rows()).toMatchObject([{ outcome: "client-left", quota: 3000 }]);
  });

  it("that contain no output are free and end with a broken body", async () => {
    shape = { before: '{"choices":[],"padding":["', filling: 0, after: `${'","'.repeat(200_000)}"]}` };
    const client = ask("/v1/chat/completions", question);
    await client.closed;
    expect(client.last).not.toContain("]}");
    expect(await rows()).toMatchObject([{ outcome: "failed", quota: 0 }]);
  });

  it("that are not a JSON object are rejected", async () => {
    shape = { before: "<html>", filling: MEGABYTE, after: "</html>" };
    const client = ask("/v1/chat/completions", question);
    await client.closed;
    expect(status(client)).toBe(502);
    expect(await rows()).toMatchObject([{ outcome: "failed", quota: 0 }]);
  });

  it("of images are charged by their usage, and for each image beyond the requested ones", async () => {
    const picture = "A".repeat(300_000);
    const data = [1, 2, 3].map(() => `{"b64_json":"${picture}"}`).join();
    shape = { before: `{"created":1,"data":[${data}]`, filling: 0, after: "}" };
    await ask("/v1/images/generations", { model: "image", prompt: "a cat", n: 1 }).closed;
    const [uncounted] = await rows();
    ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "large" }));
    shape = { ...shape, before: `{"created":1,"data":[{"b64_json":"${picture}"}]` };
    await ask("/v1/images/generations", { model: "image", prompt: "a cat", n: 1 }).closed;
    const [one] = await rows();
    expect(uncounted?.completion_tokens).toBe(3 * (one?.completion_tokens ?? 0));
    ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "large" }));
    shape = { ...shape, after: ',"usage":{"input_tokens":5,"output_tokens":7,"total_tokens":12}}' };
    await ask("/v1/images/generations", { model: "image", prompt: "a cat", n: 1 }).closed;
    expect(await rows()).toMatchObject([{ prompt_tokens: 5, completion_tokens: 7, outcome: "complete" }]);
  });

  it("of embeddings are returned in the requested format, converted if needed", async () => {
    const vector = `[${Array.from({ length: 1_000 }, () => "0.5").join()}]`;
    const data = Array.from({ length: 100 }, (_, index) => `{"index":${index},"embedding":${vector}}`).join();
    shape = {
      before: `{"data":[${data}],`,
      filling: 0,
      after: '"usage":{"prompt_tokens":9,"total_tokens":9}}',
    };
    for (const form of ["float", "base64"]) {
      const client = ask("/v1/embeddings", { model: "embedding", input: "text", encoding_format: form });
      await client.closed;
      expect(status(client)).toBe(200);
      expect(client.head.includes('"embedding":[')).toBe(form === "float");
      expect(client.head.includes('"embedding":"')).toBe(form === "base64");
    }
    expect((await rows()).map(({ quota }) => quota)).toEqual([9, 9]);
  });
});
