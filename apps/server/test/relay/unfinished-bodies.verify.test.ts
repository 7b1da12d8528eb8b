import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** Requests that never end. The gateway waits 30 s for more of a body, and 60 s for the rest of a head. */
let gateway: TestGateway;
let key: string;
/** A channel whose provider keeps files. */
let account: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "provider" });
  ({ id: account } = await gateway.addChannel({ type: 1, name: "account" }));
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

interface Sent {
  head?: string;
  /** Sent again every second. */
  again?: string;
}

const chat = () =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
const form = () =>
  `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: multipart/form-data; boundary=b\r\n`;
const file = () => form().replace("/v1/audio/transcriptions", "/v1/files").replace(key, `${key}#${account}`);

/** Sends a request until the server has answered and closed. */
async function send(rest: string, { head = chat(), again }: Sent = {}): Promise<string> {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1" });
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes.toString())).on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(head + rest);
  const timer = again === undefined ? undefined : setInterval(() => socket.write(again), 1_000);
  await closed;
  clearInterval(timer);
  return answer;
}

async function usedMemory(): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`, { headers: { authorization: testAccessToken } });
  return Number(/^gateway_memory_budget_bytes\{kind="used"\} (\S+)$/m.exec(await response.text())?.[1]);
}

it("a request that does not end: is refused when nothing comes, or too little, and its memory is free again", async () => {
  const megabyte = 1024 * 1024;
  const announced = `content-length: ${64 * megabyte}\r\n\r\n`;
  const chunk = `3e8\r\n${" ".repeat(1_000)}\r\n`;
  const chunked = "transfer-encoding: chunked\r\n\r\n";
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const begun = Date.now();
  const answers = await Promise.all([
    send(announced),
    send(announced + " ".repeat(megabyte)),
    send("content-length: 1000\r\n\r\n"),
    send(`content-length: 1000\r\n\r\n{"model"`),
    send(chunked + chunk, { again: chunk }),
    send(`content-encoding: zstd\r\n${announced}`),
    send(`content-encoding: gzip\r\n${announced}`),
    send(announced, { head: form() }),
    send(`${announced}--b\r\n`, { head: form() }),
    send(`${chunked}${part.length.toString(16)}\r\n${part}\r\n`, { head: form(), again: chunk }),
    send(`content-length: ${megabyte}\r\n\r\n{"json`, {
      head: chat().replace("/v1/chat/completions", "/mcp/any"),
    }),
    send(announced, { head: file() }),
    send(`${announced}--b\r\n`, { head: file() }),
    send(`${chunked}${part.length.toString(16)}\r\n${part}\r\n`, { head: file(), again: chunk }),
    send("x-never:", { again: " a" }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain("request_timeout");
  }
  expect(Date.now() - begun).toBeLessThan(100_000);
  await expect.poll(usedMemory).toBe(0);
  const { status } = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(status).toBe(200);
}, 150_000);
