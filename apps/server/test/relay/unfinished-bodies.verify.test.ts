import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** Request bodies that never end. The gateway waits 30 s for more. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "provider" });
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

/** Sends a body, its last piece again every second, until the server has answered and closed. */
async function send(length: string, piece: string, { isRepeated = false } = {}): Promise<string> {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1" });
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes.toString())).on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\n${length}\r\n\r\n${piece}`,
  );
  const timer = isRepeated ? setInterval(() => socket.write(piece), 1_000) : undefined;
  await closed;
  clearInterval(timer);
  return answer;
}

async function usedMemory(): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`, { headers: { authorization: testAccessToken } });
  return Number(/^gateway_memory_budget_bytes\{kind="used"\} (\S+)$/m.exec(await response.text())?.[1]);
}

it("a body that does not end: is refused after 30 s without data, or when it is too slow, and its memory is free again", async () => {
  const megabyte = 1024 * 1024;
  const announced = `content-length: ${64 * megabyte}`;
  const answers = await Promise.all([
    send(announced, ""),
    send(announced, " ".repeat(megabyte)),
    send("transfer-encoding: chunked", `3e8\r\n${" ".repeat(1_000)}\r\n`, { isRepeated: true }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/connection: close/i);
  }
  await expect.poll(usedMemory).toBe(0);
  const { status } = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(status).toBe(200);
}, 120_000);
