import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { startMcpServer, type TestMcpServer, textResult } from "#test/mcp-servers.ts";
import { nightly } from "#test/nightly.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";
import { type ScriptedServer, startScriptedServer } from "#test/scripted-servers.ts";

/**
 * Two nodes. Every way to end a key on one ends every kind of work with it on the other within a second, and what was
 * produced is charged. Responses in the background: background.test.ts. A task is charged when it begins, so that it goes on.
 */
let here: TestGateway;
let there: TestGateway;
let raw: RawUpstream;
let tools: TestMcpServer;
let engine: ScriptedServer;
let username: string;
let id: number;
/** The key of the token, or one that is derived from it. */
let key: string;
let derivedId: string;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  raw = await startRawUpstream();
  engine = await startScriptedServer();
  tools = await startMcpServer({
    handlers: { wait: () => new Promise(() => {}), ping: () => textResult("") },
  });
  here = await startTestGateway();
  there = await startTestGateway({}, here);
  await here.addChannel({ type: 8, name: "chat", models: ["chat"], base_url: raw.url });
  await here.addChannel({ type: 14, name: "claude", models: ["claude"], base_url: raw.url });
  await here.addChannel({ type: 8, name: "voice", models: ["demo-realtime"] });
  for (const model of ["chat", "claude", "demo-realtime"]) await here.addPrice(model);
  const server = { name: "tools", url: tools.url, price: 0.01, private_address: true };
  const { id: serverId } = await here.api<{ id: number }>("POST", "/mcp_server", server);
  await here.api("POST", "/mcp_bundle", { name: "work", servers: [serverId] });
  const values = { WebSearchEngine: "searxng", WebSearchAddress: engine.url, WebSearchTimeoutSeconds: 60 };
  await here.api("PUT", "/option/batch", { values });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
  await Promise.all([raw.close(), tools.close(), engine.close()]);
});

let people = 0;
beforeEach(async () => {
  people += 1;
  username = `leaver-${people}`;
  const owner = { username, password: "correct horse battery", display_name: "", quota: 1_000_000 };
  const { id: user_id } = await here.api<{ id: number }>("POST", "/user", owner);
  ({ id, key } = await here.api<{ id: number; key: string }>("POST", "/token/admin", { user_id, name: "x" }));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

interface Ending {
  end(): Promise<unknown>;
  message: RegExp;
  code: string;
}

/** Ways to end a key, and the error that ends its calls. */
const endings: Readonly<Record<string, Ending>> = {
  "the key is disabled": {
    end: () => here.api("PATCH", `/token/admin/${id}`, { status: 2 }),
    message: /API key is disabled/,
    code: "token_disabled",
  },
  "the key is deleted": {
    end: async () => {
      await here.database.db.token.update({ where: { id }, data: { deleted_at: new Date() } });
      await announceToken();
    },
    message: /API key is not valid/,
    code: "invalid_api_key",
  },
  "the key is replaced": {
    end: async () => {
      await here.database.db.token.update({ where: { id }, data: { key_hash: Buffer.alloc(32, people) } });
      await announceToken();
    },
    message: /API key is not valid/,
    code: "invalid_api_key",
  },
  "the key expires": {
    end: async () => {
      const at = new Date(Date.now() + 300);
      await here.database.db.token.update({ where: { id }, data: { expired_time: at } });
      await announceToken();
      await sleep(300);
    },
    message: /API key has expired/,
    code: "token_expired",
  },
  "the derived key is revoked": {
    end: async () => {
      const { user_id } = await here.database.db.token.findUniqueOrThrow({ where: { id } });
      const now = new Date();
      // Its row is written by its first charged call.
      await here.database.db.derivedKey.upsert({
        where: { id: derivedId },
        create: {
          id: derivedId,
          root_id: derivedId,
          token_id: id,
          user_id,
          revoked_at: now,
          expires_at: now,
        },
        update: { revoked_at: now },
      });
      await announceToken();
    },
    message: /revoked/,
    code: "invalid_api_key",
  },
  "the account is disabled": {
    end: () => here.api("POST", "/user/manage", { username, action: "disable" }),
    message: /account is disabled/,
    code: "user_disabled",
  },
  "the account is deleted": {
    end: async () => {
      const { user_id } = await here.database.db.token.findUniqueOrThrow({ where: { id } });
      await here.api("DELETE", `/user/${user_id}`);
    },
    message: /API key is not valid|account is disabled/,
    code: "invalid_api_key",
  },
};

async function announceToken(): Promise<void> {
  await here.database.db.$executeRaw`SELECT pg_notify('gateway_changes', ${`tokens:${id}`})`;
}

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
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(body),
    // Without a notification the call would not end: its provider sends nothing.
    signal: AbortSignal.timeout(45_000),
  });
}

const messages = [{ role: "user", content: "Hi" }];

/** Opens a WebSocket. Returns what it has received, and its close code. */
async function connect(path: string) {
  const socket = new WebSocket(`${there.url.replace("http", "ws")}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  sockets.push(socket);
  const events: string[] = [];
  socket.on("message", (bytes: Buffer) => events.push(bytes.toString()));
  const closed = once(socket, "close");
  await once(socket, "open");
  return { socket, events, closed };
}

interface Work {
  /** Begins the work. Returns what its client reads at its end. */
  begin(): Promise<() => Promise<string>>;
  /** Its log row; undefined without a call. */
  row?: { outcome?: string; quota?: unknown };
}

const charged = expect.toSatisfy((points: number) => points > 0) as unknown;

/** Every kind of work that lasts. */
const kinds: Readonly<Record<string, Work>> = {
  "a stream of Chat": {
    async begin() {
      raw.play({ chunks: [sse, output], ending: "hang" });
      const response = await open("/v1/chat/completions", { model: "chat", stream: true, messages });
      expect(response.status).toBe(200);
      return () => response.text();
    },
    row: { outcome: "client-left", quota: charged },
  },
  "a stream of Messages": {
    async begin() {
      raw.play({ chunks: [sse, claudeEvents], ending: "hang" });
      const response = await open("/v1/messages", {
        model: "claude",
        stream: true,
        max_tokens: 1_000,
        messages,
      });
      expect(response.status).toBe(200);
      return async () => {
        const text = await response.text();
        expect(text).toContain("event: error");
        return text;
      };
    },
    row: { outcome: "client-left", quota: charged },
  },
  "a call that waits for its provider": {
    async begin() {
      raw.play({ chunks: [], ending: "hang" });
      const calls = raw.calls();
      const pending = open("/v1/chat/completions", { model: "chat", messages });
      await expect.poll(() => raw.calls()).toBe(calls + 1);
      return async () => (await pending).text();
    },
    row: {},
  },
  "a realtime session": {
    async begin() {
      const { events, closed } = await connect("/v1/realtime?model=demo-realtime");
      await expect.poll(() => events.join("")).toContain("session.created");
      return async () => {
        expect((await closed)[0]).toBe(1008);
        return events.at(-1) ?? "";
      };
    },
    row: { quota: 0 },
  },
  "Responses over WebSocket, in a response": {
    async begin() {
      raw.play({ chunks: [sse, output], ending: "hang" });
      const { socket, events, closed } = await connect("/v1/responses");
      socket.send(JSON.stringify({ type: "response.create", model: "chat", store: false, input: "Hi" }));
      await expect.poll(() => events.join("")).toContain("four score");
      return async () => {
        expect((await closed)[0]).toBe(1008);
        return events.join("");
      };
    },
    row: { outcome: "client-left", quota: charged },
  },
  "Responses over WebSocket, between two responses": {
    async begin() {
      const { events, closed } = await connect("/v1/responses");
      return async () => {
        expect((await closed)[0]).toBe(1008);
        return events.join("");
      };
    },
  },
  "a tool call": {
    async begin() {
      const calls = tools.calls.length;
      const params = { name: "tools__wait" };
      const pending = open("/mcp/work", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
      await expect.poll(() => tools.calls.length).toBe(calls + 1);
      return async () => (await pending).text();
    },
    row: { quota: 5_000 },
  },
  "a search": {
    async begin() {
      engine.play(() => ({ hang: true }));
      const requests = engine.requests.length;
      const commands = { search_query: [{ q: `tea ${people}` }] };
      const pending = open("/v1/alpha/search", { model: "chat", commands });
      await expect.poll(() => engine.requests.length).toBe(requests + 1);
      return async () => (await pending).text();
    },
    row: { quota: 5_000 },
  },
};

async function row(): Promise<LogRow> {
  const [found] = await here.logs(1, id);
  await expect.poll(() => here.database.db.reservation.count()).toBe(0);
  if (found === undefined) throw new Error("no row");
  return found;
}

describe.each(Object.entries(endings))("when %s", (name, { end, message, code }) => {
  for (const [kind, work] of Object.entries(kinds)) {
    // One signal ends all work: each way once, and each kind of work once.
    const isRepeated = name !== "the key is disabled" && kind !== "a stream of Chat";
    it(`${kind} ends with an error that says so`, nightly(isRepeated), async () => {
      if (name === "the derived key is revoked") {
        const derived = deriveKey(key, { exp: Math.floor(Date.now() / 1_000) + 3_600, usd: "1" });
        derivedId = derived.id;
        key = derived.key;
      }
      const finish = await work.begin();
      await end();
      expect(await finish()).toMatch(message);
      if (work.row === undefined) return;
      const logged = await row();
      expect(logged).toMatchObject({ ...work.row, error_code: expect.any(String) });
      if (logged.error_code !== "") expect([code, "client_disconnected"]).toContain(logged.error_code);
      expect(await here.drift()).toBe(0n);
    });
  }
});
