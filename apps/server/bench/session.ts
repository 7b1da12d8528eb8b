/**
 * The bills of one session of a coding agent over two channels, with affinity off and on. The provider is the
 * demo one with a prompt cache per account. The session has 60 turns: a long system prompt with tools, then
 * results of tools of deterministic sizes. Every call sends the whole conversation, as agents do.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoUpstream } from "@gateway/demo/server";
import type { AgentSession } from "@gateway/shared/usage/session";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { readEnv } from "../src/env.ts";
import { startGateway } from "../src/start/index.ts";

const TURNS = 60;
const SYSTEM_BYTES = 60_000;
const ANSWER_BYTES = 800;
/** Bytes of the tools' results, repeated: a short command, a listing, a file, a search. */
const RESULT_BYTES = [400, 2_400, 14_000, 1_200, 6_000, 800];
const ANTHROPIC = 14;
const PER_USD = 500_000;
const accessToken = "bench-access-token-bench-access-token";

const folder = await mkdtemp(join(tmpdir(), "gateway-bench-session-"));
// Postgres runs as another user when this process is root.
await chmod(folder, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), log: () => undefined });
const upstream = await startDemoUpstream();
const gateway = await startGateway(
  readEnv({
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    ROOT_USERNAME: "bench",
    ROOT_PASSWORD: "bench-password-1",
    ROOT_ACCESS_TOKEN: accessToken,
    DEMO_UPSTREAM: "0",
    LOG_LEVEL: "error",
  }),
);
try {
  const { key } = await api<{ key: string }>("POST", "/token", { name: "bench" });
  const lines = [["", "cost", "cached input", "channel moves", "cost of moves"]];
  for (const [name, minutes] of [
    ["affinity off", 0],
    ["affinity on", 60],
  ] as const) {
    const { totals, moves } = await replay(key, name.replace(" ", "-"), minutes);
    lines.push([
      name,
      usd(totals.quota),
      `${((totals.cached / totals.input) * 100).toFixed(1)} %`,
      String(moves.count),
      usd(moves.cost),
    ]);
  }
  const widths = [14, 10, 14, 15, 15];
  for (const line of lines) console.log(line.map((text, at) => text.padEnd(widths[at] ?? 0)).join(""));
} finally {
  await gateway.stop();
  await upstream.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Sends the session through two new channels, whose accounts have empty caches. */
async function replay(key: string, model: string, minutes: number): Promise<AgentSession> {
  await api("PUT", "/option", { key: "SessionAffinityMinutes", value: minutes });
  // $3 and $15 per million tokens; cache reads and writes at the default multiples, 0.1 and 1.25.
  await api("POST", "/prices/single", { model, type: "tokens", channel_type: 1, input: 1.5, output: 7.5 });
  for (const account of ["a", "b"])
    await api("POST", "/channel", {
      type: ANTHROPIC,
      name: `${model} ${account}`,
      base_url: upstream.url,
      key: `demo-cache-${model}-${account}`,
      models: [model],
      groups: ["default"],
    });
  const messages: { role: string; content: string }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const bytes = RESULT_BYTES[turn % RESULT_BYTES.length] ?? 0;
    messages.push({ role: "user", content: textOf(`result ${turn}`, bytes) });
    await call(key, model, messages);
    messages.push({ role: "assistant", content: textOf(`answer ${turn}`, ANSWER_BYTES) });
  }
  return api<AgentSession>("GET", `/log/session?id=${model}`);
}

async function call(key: string, model: string, messages: object[]): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-claude-code-session-id": model,
    },
    body: JSON.stringify({ model, max_tokens: 300, system: textOf("system", SYSTEM_BYTES), messages }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
}

/** Returns a text of this length that begins with its name. */
function textOf(name: string, bytes: number): string {
  return `${name} `.padEnd(bytes, "lorem ipsum dolor sit amet ");
}

async function api<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${gateway.url}/api${path}`, {
    method,
    headers: { "api-version": "2", authorization: accessToken, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T };
  if (!success) throw new Error(`${method} ${path}: ${message}`);
  return data;
}

function usd(points: number): string {
  return `$${(points / PER_USD).toFixed(4)}`;
}
