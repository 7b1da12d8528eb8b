/**
 * The bills of one session of a coding agent. The session has 60 turns: a long system prompt with tools, then results of
 * tools of deterministic sizes. Every call sends the whole conversation, as agents do. First over two channels with a
 * prompt cache per account, with affinity off and on. Then over one channel whose cache works at marks, as Anthropic's
 * does, from a client that sets none: with the gateway's marks off and on, beside the best marks computed afterwards.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoUpstream } from "@gateway/demo/server";
import type { AgentSession } from "@gateway/shared/usage/session";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { readEnv } from "../../src/env.ts";
import { startGateway } from "../../src/start/index.ts";
import { managementApi } from "../management-api.ts";
import { ANSWER_BYTES, longSessions, RESULT_BYTES, SYSTEM_BYTES, textOf, TURNS } from "./agent-sessions.ts";
import { bestCost } from "./best-marks.ts";
import { measureMarking } from "./marking-time.ts";

const ANTHROPIC = 14;
const PER_USD = 500_000;
/** $3 per million tokens. */
const INPUT_RATIO = 1.5;
/** More than all sessions have. */
const CALLS_PER_MINUTE = 100_000;
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
const api = managementApi(gateway.url, accessToken);
try {
  const groups = await api<{ data: { id: number }[] }>("GET", "/user_group");
  for (const { id } of groups.data) await api("PUT", `/user_group/${id}`, { api_rate: CALLS_PER_MINUTE });
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
  print(lines, [14, 10, 14, 15, 15]);
  console.log();
  print(await compareMarks(key), [26, 16, 10, 14, 14]);
  console.log();
  for (const bytes of [2_000, 14_000])
    console.log(`marking 1 MB in messages of ${bytes} bytes: ${measureMarking(bytes).toFixed(2)} ms`);
} finally {
  await gateway.stop();
  await upstream.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function print(lines: readonly string[][], widths: readonly number[]): void {
  for (const line of lines) console.log(line.map((text, at) => text.padEnd(widths[at] ?? 0)).join(""));
}

/** Sends each session with and without the gateway's marks. Returns the rows of a table. */
async function compareMarks(key: string): Promise<string[][]> {
  const lines = [["session without marks", "marks", "cost", "cost of input", "above the best"]];
  for (const [name, bodies] of Object.entries(longSessions())) {
    const best = bestCost(bodies);
    let without = 0;
    for (const marks of ["off", "on"]) {
      const model = `${name.replaceAll(" ", "-")}-${marks}`;
      await addModel(model, ["demo-marks"]);
      for (const body of bodies)
        await send(key, { ...body, model }, { "x-session-id": model, "x-prompt-cache": marks });
      const { totals } = await api<AgentSession>("GET", `/log/session?id=${model}`);
      const tokens = inputCost(totals);
      if (marks === "off") without = tokens;
      const compared = marks === "off" ? "" : `${((tokens / best - 1) * 100).toFixed(1)} %`;
      lines.push([name, marks, usd(totals.quota), `${((tokens / without) * 100).toFixed(1)} %`, compared]);
    }
  }
  return lines;
}

/** Returns the cost of a session's input, in tokens at the full price. */
function inputCost({ input, saved, write_extra: surcharge }: AgentSession["totals"]): number {
  return input - (saved - surcharge) / INPUT_RATIO;
}

/** Sends the session through two new channels, whose accounts have empty caches. */
async function replay(key: string, model: string, minutes: number): Promise<AgentSession> {
  await api("PUT", "/option", { key: "SessionAffinityMinutes", value: minutes });
  await addModel(model, ["demo-cache-a", "demo-cache-b"]);
  const messages: { role: string; content: string }[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const bytes = RESULT_BYTES[turn % RESULT_BYTES.length] ?? 0;
    messages.push({ role: "user", content: textOf(`result ${turn}`, bytes) });
    const body = { model, max_tokens: 300, system: textOf("system", SYSTEM_BYTES), messages };
    await send(key, body, { "x-claude-code-session-id": model });
    messages.push({ role: "assistant", content: textOf(`answer ${turn}`, ANSWER_BYTES) });
  }
  return api<AgentSession>("GET", `/log/session?id=${model}`);
}

/** Adds a model with a price, and a channel for each kind of account. */
async function addModel(model: string, accounts: readonly string[]): Promise<void> {
  // $3 and $15 per million tokens; cache reads and writes at the default multiples, 0.1 and 1.25.
  await api("POST", "/prices/single", {
    model,
    type: "tokens",
    channel_type: 1,
    input: INPUT_RATIO,
    output: 7.5,
  });
  for (const account of accounts)
    await api("POST", "/channel", {
      type: ANTHROPIC,
      name: `${model} ${account}`,
      base_url: upstream.url,
      key: `${account}-${model}`,
      models: [model],
      groups: ["default"],
    });
}

async function send(key: string, body: object, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
}

function usd(points: number): string {
  return `$${(points / PER_USD).toFixed(4)}`;
}
