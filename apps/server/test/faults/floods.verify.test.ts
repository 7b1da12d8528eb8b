import { readFile, mkdtemp, rm } from "node:fs/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * Thousands of requests at once that bring nothing. Another account is served meanwhile, and memory does not grow with
 * each flood.
 */
const MEGABYTE = 1024 * 1024;
/** Milliseconds in which a call of another account is answered. One of them alone takes 10 to 30. */
const PROMPT_MS = 1_000;
const GOOD_CALLS = 10;
/** The process keeps the memory of the thousands of sockets that it once had, for the next ones. */
const MOST_MEMORY = 512 * MEGABYTE;

let place: TestDatabase;
let database: Database;
let folder: string;
let gateway: GatewayProcess;
let provider: RawUpstream;
let good: string;
let rich: string;
let poor: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  folder = await mkdtemp(join(tmpdir(), "gateway-floods-"));
  gateway = await startGatewayProcess({ DATABASE_URL: place.url, DATA_DIR: folder, DEMO_UPSTREAM: "true" });
  await gateway.api("POST", "/channel", {
    type: 900,
    name: "demo",
    key: "k",
    models: ["demo-chat", "demo-realtime"],
    groups: ["default"],
  });
  provider = await startRawUpstream();
  await gateway.api("POST", "/channel", {
    type: 8,
    name: "silent",
    key: "k",
    base_url: provider.url,
    models: ["silent"],
    groups: ["default"],
  });
  const price = { model: "silent", type: "tokens", channel_type: 1, input: 1, output: 1 };
  await gateway.api("POST", "/prices/single", price);
  const values = { RetryTimes: 0, IdleTimeoutMs: 5_000, AutomaticDisableChannelEnabled: false };
  await gateway.api("PUT", "/option/batch", { values });
  const groups = await gateway.api<{ data: { id: number }[] }>("GET", "/user_group");
  for (const { id } of groups.data) await gateway.api("PUT", `/user_group/${id}`, { api_rate: 1_000_000 });
  ({ key: good } = await gateway.api<{ key: string }>("POST", "/token", { name: "good" }));
  rich = await keyOfUser("rich", 500_000_000);
  poor = await keyOfUser("poor", 0);
});
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  await provider.close();
  await database.close();
  await place.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Creates an account, and returns its key. */
async function keyOfUser(username: string, quota: number): Promise<string> {
  const password = "correct horse battery";
  await gateway.api("POST", "/user", { username, password, quota });
  const headers = { "api-version": "2", "content-type": "application/json", origin: gateway.url };
  const signIn = await fetch(`${gateway.url}/api/user/login`, {
    method: "POST",
    headers,
    body: JSON.stringify({ username, password }),
  });
  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const created = await fetch(`${gateway.url}/api/token`, {
    method: "POST",
    headers: { ...headers, cookie },
    body: JSON.stringify({ name: "own" }),
  });
  return ((await created.json()) as { data: { key: string } }).data.key;
}

const chat = (key: string) => {
  const body = JSON.stringify({
    model: "demo-chat",
    max_tokens: 5,
    messages: [{ role: "user", content: "Hi" }],
  });
  return `${headOf(key)}content-length: ${body.length}\r\n\r\n${body}`;
};
const headOf = (key: string) =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
const upgrade = (key: string) =>
  `GET /v1/realtime?model=demo-realtime HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;

/** Opens connections at once that send this text, and leaves them open. */
function flood(count: number, text: string): void {
  for (let index = 0; index < count; index += 1) {
    const socket = connectSocket(Number(new URL(gateway.url).port), "127.0.0.1");
    sockets.add(socket.on("error", () => {}).resume());
    socket.once("close", () => sockets.delete(socket));
    if (text !== "") socket.write(text);
  }
}

/** Returns the time of a call of another account in milliseconds. */
async function callMs(): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${good}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "demo-chat",
      max_tokens: 5,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  await response.text();
  expect(response.status).toBe(200);
  return performance.now() - begun;
}

async function memory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

describe("a flood", () => {
  it.each<[string, number, () => string]>([
    ["requests with wrong keys", 5_000, () => chat(`sk-${"0".repeat(48)}`)],
    ["requests without a balance", 5_000, () => chat(poor)],
    [
      "bodies that are announced and not sent",
      1_000,
      () => `${headOf(rich)}content-length: ${64 * MEGABYTE}\r\n\r\n`,
    ],
    ["connections without a request", 2_000, () => ""],
    ["WebSockets that send nothing", 1_000, () => upgrade(rich)],
  ])("of %s delays calls of other accounts by less than a second", async (_what, count, text) => {
    for (let warm = 0; warm < 3; warm += 1) await callMs();
    const before = await memory();
    flood(count, text());
    const times: number[] = [];
    for (let call = 0; call < GOOD_CALLS; call += 1) times.push(await callMs());
    const during = await memory();
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => sockets.size).toBe(0);
    // V8 frees memory while it works.
    for (let call = 0; call < 50; call += 1) await callMs();
    const after = await memory();
    const megabytes = [before, during, after].map((bytes) => Math.round(bytes / MEGABYTE));
    console.log(
      `FLOOD ${_what}: first ${Math.round(times[0] ?? 0)} ms, worst ${Math.round(Math.max(...times))} ms, memory ${megabytes.join(" > ")} MB`,
    );
    // This process sends the flood as well, so the first calls also wait for that.
    expect(times.toSorted((a, b) => a - b)[GOOD_CALLS / 2]).toBeLessThan(PROMPT_MS);
    expect(after).toBeLessThan(MOST_MEMORY);
    expect(gateway.process.exitCode).toBeNull();
    expect((await audit(database.pool)).drift).toBe(0n);
  });
});

it("two thousand streams whose provider falls silent end with an error, and delay calls of others by less than a second", async () => {
  const chunk = { id: "c", model: "m", choices: [{ index: 0, delta: { content: "Well, " } }] };
  const opening = `data: ${JSON.stringify(chunk)}\n\n`;
  provider.play({ chunks: [head("text/event-stream"), opening], ending: "hang" });
  const messages = [{ role: "user", content: "Hi" }];
  const body = JSON.stringify({ model: "silent", stream: true, max_tokens: 5, messages });
  const text = `${headOf(rich)}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const answers = Array.from({ length: 2_000 }, async () => {
    const socket = connectSocket(Number(new URL(gateway.url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString())).on("error", () => {});
    socket.write(text);
    await new Promise((resolve) => socket.once("close", resolve));
    return answer;
  });
  const times: number[] = [];
  for (let call = 0; call < GOOD_CALLS; call += 1) times.push(await callMs());
  expect(times.toSorted((a, b) => a - b)[GOOD_CALLS / 2]).toBeLessThan(PROMPT_MS);
  const ended = await Promise.all(answers);
  const fits = ended.filter((answer) => answer.includes("Well, ") && answer.includes('"error"'));
  console.log(
    `FLOOD silent provider: ${fits.length} of 2000 with text and error, worst ${Math.max(...times)} ms`,
  );
  expect(fits).toHaveLength(2_000);
  await expect
    .poll(() => database.db.reservation.count({ where: { version: 0 } }), { timeout: 60_000 })
    .toBe(0);
  expect((await audit(database.pool)).drift).toBe(0n);
});
