import { on as onEvents, once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Short-lived keys with which browsers open realtime sessions. */
let gateway: TestGateway;
let key: string;
let tokenId: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "voice", models: ["demo-realtime", "other-realtime"] });
  await gateway.addPrice("demo-realtime");
  await gateway.addPrice("other-realtime");
  ({ key, id: tokenId } = await gateway.addToken());
});
afterAll(() => gateway.stop());

interface Secret {
  value: string;
  expires_at: number;
  session: { id: string };
}

async function makeSecret(fields: object = {}, apiKey = key) {
  const response = await fetch(`${gateway.url}/v1/realtime/client_secrets`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      session: { type: "realtime", model: "demo-realtime", instructions: "Be kind." },
      ...fields,
    }),
  });
  return { status: response.status, body: (await response.json()) as Secret };
}

function connectWith(secret: string, path = "/v1/realtime?model=demo-realtime"): WebSocket {
  return new WebSocket(gateway.url.replace("http", "ws") + path, [
    "realtime",
    `openai-insecure-api-key.${secret}`,
  ]);
}

async function refusalOf(socket: WebSocket): Promise<number | undefined> {
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");
  return response.statusCode;
}

/** Waits for the first event of this type. */
async function eventOf(socket: WebSocket, type: string): Promise<Record<string, unknown>> {
  for await (const [data] of on(socket)) {
    const event = JSON.parse(String(data)) as Record<string, unknown>;
    if (event["type"] === type) return event;
  }
  throw new Error(`No ${type}`);
}

function on(socket: WebSocket): AsyncIterable<unknown[]> {
  const late = AbortSignal.timeout(10_000);
  return onEvents(socket, "message", { signal: late });
}

it("a client secret opens a session with its settings, at the expense of its token", async () => {
  const { status, body } = await makeSecret();
  expect(status).toBe(200);
  expect(body.value).toMatch(/^ek_/);
  expect(body.session.id).toMatch(/^sess_/);
  expect(body.expires_at).toBeGreaterThan(Date.now() / 1_000 + 500);
  const socket = connectWith(body.value);
  const updated = await eventOf(socket, "session.updated");
  expect(updated["session"]).toMatchObject({ instructions: "Be kind." });
  socket.send(JSON.stringify({ type: "response.create" }));
  await eventOf(socket, "response.done");
  socket.close();
  const [row] = await gateway.logs(1, tokenId);
  expect(row).toMatchObject({ token_id: tokenId, endpoint: "/v1/realtime" });
  expect(await gateway.drift()).toBe(0n);
});

it("a client secret is accepted for its own model and for realtime sessions only", async () => {
  const { body } = await makeSecret();
  expect(await refusalOf(connectWith(body.value, "/v1/realtime?model=other-realtime"))).toBe(400);
  const chat = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${body.value}` },
  });
  expect(chat.status).toBe(401);
  expect((await makeSecret({}, body.value)).status).toBe(401);
});

it("an expired or invented client secret is refused", async () => {
  const { body } = await makeSecret({ expires_after: { anchor: "created_at", seconds: 10 } });
  await gateway.database.db.realtimeSecret.updateMany({ data: { expires_at: new Date(Date.now() - 1_000) } });
  expect(await refusalOf(connectWith(body.value))).toBe(401);
  expect(await refusalOf(connectWith(`ek_${"x".repeat(40)}`))).toBe(401);
  await makeSecret();
  expect(await gateway.database.db.realtimeSecret.count()).toBe(1);
});

it("a client secret ends with its token", async () => {
  const token = await gateway.addToken();
  const { body } = await makeSecret({}, token.key);
  await gateway.api("PUT", "/token/?status_only=true", { id: token.id, status: 2 });
  expect([401, 403]).toContain(await refusalOf(connectWith(body.value)));
});

it("a session of a client secret ends with the key that made the secret", async () => {
  const token = await gateway.addToken();
  const rotate = (overlap_hours: number) =>
    gateway.api<{ key: string }>("POST", `/token/${token.id}/rotate`, { overlap_hours });
  const { body: early } = await makeSecret({}, token.key);
  const { key: second } = await rotate(24);
  const socket = connectWith(early.value);
  const closed = once(socket, "close") as Promise<[number]>;
  await eventOf(socket, "session.updated");
  const { body: late } = await makeSecret({}, second);
  const other = connectWith(late.value);
  await eventOf(other, "session.updated");
  // The first key ends, as a token has at most two.
  await rotate(24);
  expect((await closed)[0]).toBe(1008);
  expect(await refusalOf(connectWith(early.value))).toBe(401);
  other.send(JSON.stringify({ type: "response.create" }));
  await eventOf(other, "response.done");
  const ended = once(other, "close") as Promise<[number]>;
  await rotate(0);
  expect((await ended)[0]).toBe(1008);
  expect(await refusalOf(connectWith(late.value))).toBe(401);
});

it("the key of a client secret is not stored", async () => {
  const { body } = await makeSecret();
  const rows = await gateway.database.db.realtimeSecret.findMany();
  expect(
    JSON.stringify(rows.map((row) => ({ ...row, key_hash: Buffer.from(row.key_hash).toString() }))),
  ).not.toContain(body.value);
});

it.each([
  [{ session: { type: "realtime" } }],
  [{ session: { type: "transcription", model: "demo-realtime" } }],
  [{ expires_after: { seconds: 1 } }],
  [{ session: { type: "realtime", model: "demo-realtime", instructions: "x".repeat(40_000) } }],
  [{ session: { type: "realtime", model: "demo-realtime", instructions: "\0" } }],
])("a client secret for %j is refused", async (fields) => {
  expect((await makeSecret(fields)).status).toBe(400);
});
