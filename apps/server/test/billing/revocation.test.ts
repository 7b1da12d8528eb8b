import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * Two nodes. Disabling something on one ends its calls on the other within a second, and what was produced is
 * charged.
 */
let here: TestGateway;
let there: TestGateway;
let raw: RawUpstream;
let key: string;
let id: number;

beforeAll(async () => {
  raw = await startRawUpstream();
  here = await startTestGateway();
  there = await startTestGateway({}, here);
  await here.addChannel({ type: 8, name: "chat", models: ["chat"], base_url: raw.url });
  await here.addChannel({ type: 14, name: "claude", models: ["claude"], base_url: raw.url });
  await here.addChannel({ type: 8, name: "voice", models: ["demo-realtime"] });
  for (const model of ["chat", "claude", "demo-realtime"]) await here.addPrice(model);
});
afterAll(async () => {
  await there.stop();
  await here.stop();
  await raw.close();
});
beforeEach(async () => {
  ({ key, id } = await here.addToken());
});

/** Ways to revoke a key, and the error that ends its calls. */
const cases: Record<
  string,
  { end(): Promise<unknown>; undo?(): Promise<unknown>; message: RegExp; code: string }
> = {
  "the key is disabled": {
    end: () => here.api("PATCH", `/token/${id}`, { status: 2 }),
    message: /API key is disabled/,
    code: "token_disabled",
  },
  "the key is deleted": {
    end: () => here.api("DELETE", `/token/${id}`),
    message: /API key is not valid/,
    code: "invalid_api_key",
  },
  "the key expires": {
    end: async () => {
      const at = new Date(Date.now() + 300);
      await here.database.db.token.update({ where: { id }, data: { expired_time: at } });
      await here.database.db.$executeRaw`SELECT pg_notify('gateway_changes', ${`tokens:${id}`})`;
      await sleep(300);
    },
    message: /API key has expired/,
    code: "token_expired",
  },
};

const sse = head("text/event-stream");
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const output = data({
  id: "c",
  model: "m",
  choices: [{ index: 0, delta: { content: "four score and seven " } }],
});
const claudeEvents =
  data({
    type: "message_start",
    message: { id: "m", model: "m", usage: { input_tokens: 7, output_tokens: 1 } },
  }) +
  data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
  data({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "four score and seven " },
  });

async function open(path: string, body: object): Promise<Response> {
  return fetch(`${there.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
    // Without a notification the call would not end: its provider sends nothing.
    signal: AbortSignal.timeout(45_000),
  });
}

async function row(): Promise<LogRow> {
  let found: LogRow | undefined;
  await expect
    .poll(async () => (found = (await here.logs(1)).find((each) => each.token_id === id)))
    .toBeDefined();
  await expect.poll(() => here.database.db.reservation.count()).toBe(0);
  if (found === undefined) throw new Error("no row");
  return found;
}

describe.each(Object.entries(cases))("when %s", (_name, { end, message, code }) => {
  it("ends an open stream with an error in the client's dialect, and charges what was delivered", async () => {
    for (const [path, model, chunks] of [
      ["/v1/chat/completions", "chat", [sse, output]],
      ["/v1/messages", "claude", [sse, claudeEvents]],
    ] as const) {
      raw.play({ chunks, ending: "hang" });
      const response = await open(path, { model, stream: true, max_tokens: 1_000 });
      expect(response.status).toBe(200);
      await end();
      const text = await response.text();
      expect(text).toContain("four score");
      expect(text).toMatch(message);
      expect(text).toContain(model === "claude" ? "event: error" : '"error"');
      const logged = await row();
      expect(logged).toMatchObject({ outcome: "client-left", error_code: code });
      expect(logged.completion_tokens).toBeGreaterThan(0);
      expect(await here.drift()).toBe(0n);
      ({ key, id } = await here.addToken());
    }
  });

  it("rejects a call that waits for its provider", async () => {
    raw.play({ chunks: [], ending: "hang" });
    const pending = open("/v1/chat/completions", { model: "chat" });
    await expect.poll(() => here.database.db.reservation.count()).toBe(1);
    await expect.poll(() => raw.leftAt()).toBeUndefined();
    await sleep(100);
    await end();
    const response = await pending;
    expect(response.status).toBe(401);
    expect(await response.text()).toMatch(message);
    expect(await row()).toMatchObject({ error_code: code });
  });

  it("closes a realtime session whose reserved response is unused", async () => {
    const socket = new WebSocket(`${there.url.replace("http", "ws")}/v1/realtime?model=demo-realtime`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const events: string[] = [];
    socket.on("message", (bytes: Buffer) => events.push(bytes.toString()));
    const closed = once(socket, "close");
    await expect.poll(() => events.join("")).toContain("session.created");
    await end();
    const [close] = await closed;
    expect(close).toBe(1008);
    expect(events.at(-1)).toMatch(message);
    expect(await row()).toMatchObject({ quota: 0 });
  });
});

it("disabling an account ends the calls of all its keys on every node", async () => {
  const user = await here.api<{ id: number }>("POST", "/user", {
    username: "leaver",
    password: "correct horse battery",
    display_name: "leaver",
  });
  const found =
    user?.id ?? (await here.database.db.user.findFirstOrThrow({ where: { username: "leaver" } })).id;
  await here.database.db.token.update({ where: { id }, data: { user_id: found } });
  await here.database.db.user.update({ where: { id: found }, data: { quota: 1_000_000n } });
  raw.play({ chunks: [sse, output], ending: "hang" });
  const response = await open("/v1/chat/completions", { model: "chat", stream: true });
  expect(response.status).toBe(200);
  await here.api("POST", "/user/manage", { username: "leaver", action: "disable" });
  const text = await response.text();
  expect(text).toMatch(/account is disabled/);
  expect(await row()).toMatchObject({ error_code: "user_disabled", outcome: "client-left" });
});
