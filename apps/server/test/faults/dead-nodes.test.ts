import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, killNodes, startGatewayProcess } from "#test/gateway-process.ts";
import { startTestGateway, testSecretKey } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * A node that is killed and one that is paused, both in the middle of calls, and what another node does with
 * their reservations. The other node waits for a sign of life for 1.5 s instead of 30 s.
 * The real times are in the folder real-times.
 */
let place: TestDatabase;
let provider: RawUpstream;
let database: Database;
let dataDir: string;
let killed: GatewayProcess;
let paused: GatewayProcess;
let key: string;
const SESSION = "agents-on-a-killed-node";

beforeAll(async () => {
  [place, provider] = await Promise.all([installedDatabase(), startRawUpstream()]);
  database = connect(place.url, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-dead-"));
  const env = { DATABASE_URL: place.url, DATA_DIR: dataDir, SECRET_KEY: testSecretKey };
  killed = await startGatewayProcess(env);
  await killed.api("POST", "/channel", {
    type: 8,
    name: "raw",
    base_url: provider.url,
    key: "k",
    models: ["demo-chat"],
    groups: ["default"],
  });
  ({ key } = await killed.api<{ key: string }>("POST", "/token", { name: "t", unlimited_quota: true }));
  paused = await startGatewayProcess(env);
}, 120_000);
afterAll(async () => {
  await killNodes(killed, paused);
  await provider.close();
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const paths = {
  "/v1/chat/completions": /data: \{"error":/,
  "/v1/messages": /event: error/,
  "/v1/responses": /event: (response\.failed|error)/,
};

interface Streamed {
  id: string;
  path: keyof typeof paths;
  /** The received text, also of a response that was cut. */
  text: string;
  isCut: boolean;
}

const data = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const closing = `${data({}, "stop")}data: [DONE]\n\n`;

/** A response of the provider that ends when the test says so. */
const over = new AbortController();
function* untilOver(): Iterable<string> {
  yield head("text/event-stream");
  while (!over.signal.aborted) yield data({ content: "four score and seven " });
  yield closing;
}

/** Starts a stream. Returns its end. */
async function stream(
  node: GatewayProcess,
  path: keyof typeof paths,
  headers: Record<string, string> = {},
): Promise<() => Promise<Streamed>> {
  provider.play({ chunks: untilOver(), ending: "end", pauseMs: 50 });
  const content = "Tell me.";
  const input = path === "/v1/responses" ? { input: content } : { messages: [{ role: "user", content }] };
  const response = await fetch(node.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "demo-chat",
      stream: true,
      ...input,
      ...(path === "/v1/messages" && { max_tokens: 5_000 }),
    }),
  });
  expect(response.status).toBe(200);
  const id = response.headers.get("x-request-id") ?? "";
  const reading = read(response);
  return async () => ({ id, path, ...(await reading) });
}

async function read(response: Response): Promise<Pick<Streamed, "text" | "isCut">> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, isCut: false };
  } catch {
    return { text, isCut: true };
  }
}

async function shortCall(node: GatewayProcess): Promise<number> {
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
  const message = { role: "assistant", content: "Hi" };
  const answer = { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
  provider.play({ chunks: [head("application/json") + JSON.stringify(answer)], ending: "end" });
  const response = await fetch(`${node.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
  });
  await response.text();
  return response.status;
}

const rowsOf = (id: string) =>
  database.pool
    .query<{ outcome: string; quota: bigint; completion_tokens: bigint }>(
      "SELECT outcome, quota, completion_tokens FROM request_logs WHERE request_id = $1",
      [id],
    )
    .then(({ rows }) => rows);

const reservations = () => database.db.reservation.count();

const checkpointed = async () =>
  Number(
    (
      await database.pool.query<{ calls: bigint }>(
        "SELECT count(*) AS calls FROM reservations WHERE checkpoint IS NOT NULL",
      )
    ).rows[0]?.calls,
  );

const session = async () =>
  (
    await database.pool.query<{ spent: bigint; reserved: bigint }>(
      "SELECT spent, reserved FROM session_budgets",
    )
  ).rows;

/** Runs another node, which considers a node dead after 1.5 s, until nothing is reserved. */
async function untilReleased(): Promise<void> {
  const heir = await startTestGateway({}, { database } as Parameters<typeof startTestGateway>[1], {
    nodeTimes: { beatMs: 200, silentAfterMs: 1_500 },
  });
  try {
    await expect.poll(reservations, { timeout: 50_000, interval: 50 }).toBe(0);
  } finally {
    await heir.stop();
  }
}

describe("calls of a node that is killed, and of one that is paused", () => {
  it(
    "are charged once by another node up to their last checkpoint; without a checkpoint they are free",
    { tags: "nightly", timeout: 180_000 },
    async () => {
      for (const node of [killed, paused])
        for (let calls = 0; calls < 6; calls += 1) await expect.poll(() => shortCall(node)).toBe(200);
      const budget = { "x-session-id": SESSION, "x-session-budget": "5" };
      const onKilled = [
        await stream(killed, "/v1/chat/completions"),
        await stream(killed, "/v1/messages", budget),
      ];
      const onPaused: (() => Promise<Streamed>)[] = [];
      for (const path of Object.keys(paths) as (keyof typeof paths)[])
        onPaused.push(await stream(paused, path));
      await expect.poll(checkpointed, { timeout: 50_000, interval: 50 }).toBe(5);
      const early = await stream(killed, "/v1/responses");
      expect((await session())[0]?.reserved).toBeGreaterThan(0n);
      killed.process.kill("SIGKILL");
      paused.process.kill("SIGSTOP");
      await killed.ended;

      await untilReleased();
      over.abort();
      paused.process.kill("SIGCONT");
      for (const end of onKilled) {
        const { id, path, isCut } = await end();
        expect(isCut, path).toBe(true);
        const rows = await rowsOf(id);
        expect(rows, path).toMatchObject([{ outcome: "interrupted" }]);
        expect(rows[0]?.quota, path).toBeGreaterThan(0n);
      }
      for (const end of onPaused) {
        const { id, path, text } = await end();
        expect(text, path).toMatch(paths[path]);
        expect(text, path).toContain("gateway was interrupted");
        const rows = await rowsOf(id);
        expect(rows, path).toMatchObject([{ outcome: "interrupted" }]);
        expect(rows[0]?.completion_tokens, path).toBeGreaterThan(10n);
      }
      expect(await rowsOf((await early()).id)).toEqual([]);
      // The budget of the session contains what was charged, and the rest can be spent again.
      const { rows: charged } = await database.pool.query<{ points: bigint }>(
        "SELECT sum(quota)::bigint AS points FROM request_logs WHERE session ->> 'id' = $1",
        [SESSION],
      );
      expect(await session()).toEqual([{ spent: charged[0]?.points, reserved: 0n }]);
      // The paused node serves calls again.
      await expect.poll(() => shortCall(paused)).toBe(200);
      const wrong = (await audit(database.pool)).rows.filter(({ what }) => !/reserved|leased/.test(what));
      expect(wrong).toEqual([]);
    },
  );
});
