import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Request bodies that are refused early, or never end. */
let gateway: TestGateway;
let key: string;
let limited: string;
const megabyte = 1024 * 1024;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "provider" });
  key = (await gateway.addToken()).key;
  const rates = { requests_per_minute: 1, tokens_per_minute: 0 };
  limited = (await gateway.addToken({ unlimited_quota: true, setting: { rates } })).key;
  await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${limited}` } });
});
afterAll(() => gateway.stop());

interface Sent {
  answer: string;
  /** Bytes of the body that the server accepted. */
  accepted: number;
  /** How the connection ended. */
  end: "closed" | "reset" | "open";
}

/** Sends a body piece by piece until the server answers and closes. */
async function send(
  head: string,
  pieces: Iterable<string>,
  { pauseMs = 0, patienceMs = 60_000 } = {},
): Promise<Sent> {
  const socket: Socket = connect({
    port: Number(new URL(gateway.url).port),
    host: "127.0.0.1",
    allowHalfOpen: true,
  });
  const sent: Sent = { answer: "", accepted: 0, end: "open" };
  socket.on("data", (bytes) => (sent.answer += bytes.toString()));
  socket.on("end", () => (sent.end = "closed"));
  socket.on("error", () => (sent.end = "reset"));
  socket.write(head);
  for (const piece of pieces) {
    if (sent.end !== "open" || sent.answer !== "") break;
    if (!socket.write(piece))
      await Promise.race([
        new Promise((resolve) => socket.once("drain", resolve)),
        new Promise((resolve) => socket.once("data", resolve)),
        new Promise((resolve) => socket.once("close", resolve)),
      ]);
    await sleep(pauseMs);
  }
  sent.accepted = socket.bytesWritten - socket.writableLength;
  for (const until = Date.now() + patienceMs; Date.now() < until && sent.end === "open";) await sleep(20);
  socket.destroy();
  return sent;
}

function headOf(authorization: string, length: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${authorization}content-type: application/json\r\n${length}\r\n\r\n`;
}

const bearer = (token: string) => `authorization: Bearer ${token}\r\n`;
const announced = `content-length: ${64 * megabyte}`;
const chunked = "transfer-encoding: chunked";

function* chunks(count: number, bytes: number): Iterable<string> {
  const text = " ".repeat(bytes);
  for (let index = 0; index < count; index += 1) yield `${bytes.toString(16)}\r\n${text}\r\n`;
}

async function usedMemory(): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: "Bearer root-access-token-for-the-journeys-0123456789" },
  });
  const text = await response.text();
  return Number(/^gateway_memory_budget_bytes\{kind="used"\} (\S+)$/m.exec(text)?.[1]);
}

describe("a body of 64 MB", () => {
  it.each([
    ["no key", 401, () => ""],
    ["a wrong key", 401, () => bearer(`sk-${"0".repeat(48)}`)],
    ["an exceeded rate", 429, () => bearer(limited)],
  ])(
    "with %s is refused before it is read, and the connection is closed",
    async (_what, status, authorization) => {
      const body = Array.from({ length: 64 }, () => " ".repeat(megabyte));
      for (const [length, pieces] of [
        [announced, body],
        [chunked, chunks(64, megabyte)],
      ] as const) {
        // The rest is discarded for a second, so that the sender sees the answer.
        const { answer, accepted, end } = await send(headOf(authorization(), length), pieces, {
          pauseMs: 25,
        });
        expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        expect(answer).toMatch(/connection: close/i);
        expect(answer).toMatch(/\}$/);
        expect(end).toBe("closed");
        expect(accepted).toBeLessThan(60 * megabyte);
      }
      expect(await usedMemory()).toBe(0);
    },
  );
});

describe("a body that does not end", () => {
  it("is not read beyond the limit", { tags: "nightly" }, async () => {
    // The rest is read for a second so that the sender sees the answer. Sending all would take 2.5 s.
    const body = chunks(500, megabyte);
    const { answer, accepted } = await send(headOf(bearer(key), chunked), body, { pauseMs: 5 });
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(accepted).toBeLessThan(400 * megabyte);
    await expect.poll(usedMemory).toBe(0);
  });
});
