import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** Bodies of which only the length was sent. Memory is counted for what has arrived. */
const MEGABYTE = 1024 * 1024;
const BUDGET = 128 * MEGABYTE;
/** Connections of one account. */
const EACH = 20;

let gateway: TestGateway;
const keys: string[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ MEMORY_BUDGET_MB: String(BUDGET / MEGABYTE) });
  await gateway.addChannel({ type: 8, name: "provider" });
  for (const username of ["first", "second", "third"]) {
    const password = "correct horse battery";
    await gateway.api("POST", "/user", { username, password, quota: 500_000_000 });
    const headers = { "api-version": "2", "content-type": "application/json", origin: gateway.url };
    const session = await fetch(`${gateway.url}/api/user/login`, {
      method: "POST",
      headers,
      body: JSON.stringify({ username, password }),
    });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const token = await fetch(`${gateway.url}/api/token`, {
      method: "POST",
      headers: { ...headers, cookie },
      body: JSON.stringify({ name: "own" }),
    });
    const { data } = (await token.json()) as { data: { key: string } };
    keys.push(data.key);
  }
});
afterAll(() => gateway.stop());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(usedMemory).toBe(0);
});

async function usedMemory(): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`, { headers: { authorization: testAccessToken } });
  return Number(/^gateway_memory_budget_bytes\{kind="used"\} (\S+)$/m.exec(await response.text())?.[1]);
}

/** Begins requests of two accounts, which send nothing more. */
function announce(path: string, headers: string, begin = ""): void {
  for (const key of keys.slice(0, 2))
    for (let count = 0; count < EACH; count += 1) {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
      socket.resume();
      sockets.push(socket);
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${headers}\r\n\r\n${begin}`,
      );
    }
}

const call = (content: string, timeoutMs = 20_000) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys[2]}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", max_tokens: 5, messages: [{ role: "user", content }] }),
    signal: AbortSignal.timeout(timeoutMs),
  });

const json = "content-type: application/json";
const form = "content-type: multipart/form-data; boundary=b";
const most = `content-length: ${64 * MEGABYTE}`;

it.each([
  ["JSON", "/v1/chat/completions", `${json}\r\n${most}`],
  ["JSON of which a part came", "/v1/chat/completions", `${json}\r\n${most}`, `{"a":"${"a".repeat(60_000)}`],
  ["JSON of 64 KB", "/v1/chat/completions", `${json}\r\ncontent-length: ${64 * 1024}`],
  ["chunked JSON", "/v1/responses", `${json}\r\ntransfer-encoding: chunked`],
  ["compressed JSON", "/v1/messages", `${json}\r\ncontent-encoding: gzip\r\n${most}`],
  ["a form", "/v1/audio/transcriptions", `${form}\r\n${most}`],
  ["a chunked form", "/v1/audio/transcriptions", `${form}\r\ntransfer-encoding: chunked`],
  ["a message for an MCP server", "/mcp/any", `${json}\r\ncontent-length: ${MEGABYTE}`],
])("an announced body leaves memory to other accounts: %s", async (_kind, path, headers, begin = "") => {
  announce(path, headers, begin);
  await expect.poll(usedMemory).toBeGreaterThan(0);
  const answers = await Promise.all([call("x".repeat(MEGABYTE)), call("x".repeat(MEGABYTE))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await Promise.all(answers.map((answer) => answer.text()));
  // A part of 60 KB counts four times, and 16 KB of a body are counted before they come.
  expect(await usedMemory()).toBeLessThanOrEqual(sockets.length * 4 * Math.max(16 * 1024, begin.length));
});

it("bodies that need more than the budget together are served one after the other", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => call("x".repeat(10 * MEGABYTE), 50_000)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await Promise.all(answers.map((answer) => answer.text()));
});
