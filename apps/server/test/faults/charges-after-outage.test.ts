import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DemoUpstream, startDemoUpstream } from "@gateway/demo/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { audit } from "#domain/ledger/balances/audit.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { connect } from "#platform/database/db.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/**
 * Calls of every kind that were running when Postgres was stopped. Their charge cannot be written for longer than a
 * client can wait, so they are answered, and charged when Postgres is back.
 */
let postgres: EmbeddedPostgres;
let dataDir: string;
let gateway: GatewayProcess;
let upstream: DemoUpstream;
let key: string;

/** Starts Postgres on the same data and port each time. */
const startPostgres = () => startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });

const models = [
  "demo-chat",
  "demo-embed",
  "demo-image",
  "demo-tts",
  "demo-whisper",
  "demo-rerank",
  "demo-realtime",
];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gateway-outage-"));
  // Postgres may run as another user, who needs access to its folder.
  await chmod(dataDir, 0o755);
  postgres = await startPostgres();
  gateway = await startGatewayProcess({ DATABASE_URL: postgres.url, DATA_DIR: dataDir });
  upstream = await startDemoUpstream();
  const place = { type: 8, key: "any", base_url: upstream.url, groups: ["default"] };
  await gateway.api("POST", "/channel", { ...place, name: "demo", models });
  ({ key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" }));
}, 90_000);
afterAll(async () => {
  gateway.process.kill("SIGKILL");
  await gateway.ended;
  await upstream.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const messages = [{ role: "user", content: "Hi" }];
const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
const json = (body: object) => ({ body: JSON.stringify(body), type: "application/json" });

function recording(): { body: FormData } {
  const form = new FormData();
  form.set("model", "demo-whisper");
  form.set("file", new Blob([Buffer.alloc(2_000)]), "a.mp3");
  return { body: form };
}

/** Each kind of call, and what its complete response contains. */
const calls = [
  ["/v1/chat/completions", json({ model: "demo-chat", messages }), '"finish_reason":"stop"'],
  ["/v1/chat/completions", json({ model: "demo-chat", messages, stream: true }), "[DONE]"],
  ["/v1/completions", json({ model: "demo-chat", prompt: "Hi" }), '"finish_reason":"stop"'],
  ["/v1/messages", json({ model: "demo-chat", max_tokens: 50, messages, stream: true }), "message_stop"],
  ["/v1/responses", json({ model: "demo-chat", input: "Hi", stream: true }), "response.completed"],
  ["/v1/interactions", json({ model: "demo-chat", input: "Hi" }), '"status":"completed"'],
  ["/v1beta/models/demo-chat:generateContent", json({ contents }), '"finishReason":"STOP"'],
  ["/v1/embeddings", json({ model: "demo-embed", input: "Hi" }), '"embedding"'],
  ["/v1beta/models/demo-embed:embedContent", json({ content: contents[0] ?? {} }), '"values"'],
  ["/v1/images/generations", json({ model: "demo-image", prompt: "Hi" }), "data"],
  ["/v1/audio/speech", json({ model: "demo-tts", input: "Hi", voice: "alloy" }), ""],
  ["/v1/audio/transcriptions", recording(), '"text"'],
  ["/v1/rerank", json({ model: "demo-rerank", query: "a", documents: ["a", "b"] }), '"results"'],
] as const;

async function send([path, request]: (typeof calls)[number]): Promise<{ status: number; text: string }> {
  const type = "type" in request ? { "content-type": request.type } : undefined;
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...type },
    body: request.body,
    signal: AbortSignal.timeout(90_000),
  });
  return { status: response.status, text: await response.text() };
}

/** Opens a realtime session whose response takes three seconds. Its events are in `done`. */
async function speak(): Promise<{ done: Promise<string[]> }> {
  const address = `${gateway.url.replace("http", "ws")}/v1/realtime?model=demo-realtime`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
  const events: string[] = [];
  socket.on("message", (data: Buffer) => events.push((JSON.parse(data.toString()) as { type: string }).type));
  const closed = once(socket, "close");
  await once(socket, "open");
  const content = [{ type: "input_text", text: "[[length=30]] [[chunk-delay=100]]" }];
  const item = { type: "message", role: "user", content };
  socket.send(JSON.stringify({ type: "conversation.item.create", item }));
  socket.send(JSON.stringify({ type: "response.create", response: { output_modalities: ["text"] } }));
  await expect.poll(() => events).toContain("response.output_text.delta");
  // The next response cannot be reserved, so the session ends after this one.
  return { done: closed.then(() => events) };
}

/** Complete calls that were charged, by endpoint. */
async function chargedCalls(): Promise<Record<string, number>> {
  const database = connect(postgres.url, { max: 1 });
  try {
    await bookCharges(database.db);
    const { rows } = await database.pool.query<{ endpoint: string; times: number }>(
      `SELECT endpoint, count(*)::int AS times FROM request_logs
       WHERE type = 2 AND outcome = 'complete' GROUP BY endpoint`,
    );
    return Object.fromEntries(rows.map(({ endpoint, times }) => [endpoint, times]));
  } finally {
    await database.close();
  }
}

describe("calls that are running when the database is stopped", () => {
  it(
    "are answered completely, and each is charged once when the database is back",
    { tags: "nightly", timeout: 180_000 },
    async () => {
      const voice = await speak();
      upstream.control.set({ delay: 3_000 });
      const before = upstream.calls().length;
      const running = calls.map(send);
      await expect.poll(() => upstream.calls().length).toBe(before + calls.length);
      await postgres.stop();
      for (const [index, { status, text }] of (await Promise.all(running)).entries()) {
        const [path, , end] = calls[index]!;
        expect(status, `${path}: ${text.slice(0, 300)}`).toBe(200);
        expect(text, path).toContain(end);
      }
      expect(await voice.done).toContain("response.done");

      postgres = await startPostgres();
      const expected: Record<string, number> = { "/v1/realtime": 1 };
      for (const [path] of calls) {
        const endpoint = path.endsWith(":embedContent")
          ? "/v1beta/models/:embedContent"
          : path.replace("demo-chat:generateContent", ":target");
        expected[endpoint] = (expected[endpoint] ?? 0) + 1;
      }
      await expect.poll(chargedCalls, { timeout: 60_000 }).toEqual(expected);
      const database = connect(postgres.url, { max: 1 });
      // A lease of the node may still be open.
      const wrong = (await audit(database.pool)).rows.filter(({ what }) => !/reserved|leased/.test(what));
      await database.close();
      expect(wrong).toEqual([]);
    },
  );
});
