import type { TokenRow } from "@gateway/shared/accounts/token";
import type { McpBundleRow, McpServerRow, UsableMcpBundle } from "@gateway/shared/channels/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import {
  startMcpServer,
  startRawMcpServer,
  startRedirect,
  type TestMcpServer,
  textResult,
} from "#test/mcp-servers.ts";

/** MCP over HTTP: the SDK's client, the gateway, and servers of the SDK. */
let gateway: TestGateway;
/** A server without a credential, and one that requires a token. */
let open: TestMcpServer;
let closed: TestMcpServer;
let token: TokenRow & { key: string };
const clients: Client[] = [];
const others: { close(): Promise<void> }[] = [];
let waiting: { aborted: boolean; finish(): void }[] = [];
/** Points per dollar. */
const DOLLAR = 500_000;

async function connect(bundle: string, key = token.key, headers: Record<string, string> = {}) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp/${bundle}`), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  await client.connect(transport);
  clients.push(client);
  return { client, transport };
}

async function addServer(name: string, url: string, fields: object = {}): Promise<McpServerRow> {
  return gateway.api("POST", "/mcp_server", { name, url, private_address: true, ...fields });
}

async function addBundle(name: string, servers: McpServerRow[], fields: object = {}): Promise<McpBundleRow> {
  return gateway.api("POST", "/mcp_bundle", { name, servers: servers.map(({ id }) => id), ...fields });
}

/** Sends one message without the SDK's client. */
async function post(bundle: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/mcp/${bundle}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function balance(): Promise<number> {
  return (await gateway.api<{ quota: number }>("GET", "/user/self")).quota;
}

async function setBalance(points: number): Promise<void> {
  const { id, quota } = await gateway.api<{ id: number; quota: number }>("GET", "/user/self");
  if (points !== quota)
    await gateway.api("POST", `/user/quota/${id}`, { quota: points - quota, remark: "test" });
}

const textOf = (result: unknown) => (result as CallToolResult).content[0];

beforeAll(async () => {
  open = await startMcpServer({
    handlers: {
      echo: ({ text }) => textResult(`echo ${String(text)}`),
      add: ({ a, b }) => textResult(String(Number(a) + Number(b))),
      fail: () => ({ ...textResult("no luck"), isError: true }),
      wait: (_args, { signal }) =>
        new Promise((resolve) => {
          const entry = { aborted: false, finish: () => resolve(textResult("done")) };
          waiting.push(entry);
          signal.addEventListener("abort", () => (entry.aborted = true));
        }),
      ask: async (_args, { ask }) =>
        textResult(
          await ask("roots/list").then(
            () => "answered",
            (error: Error) => error.message,
          ),
        ),
    },
  });
  closed = await startMcpServer({
    authorization: "Bearer operator-token",
    handlers: { secret: () => textResult("a secret") },
  });
  gateway = await startTestGateway();
  await setBalance(100 * DOLLAR);
  token = await gateway.addToken();
  const plain = await addServer("plain", open.url, {
    price: 0.01,
    tool_prices: [{ tool: "add", price: 0 }],
  });
  const guarded = await addServer("guarded", closed.url, { credential: "Bearer operator-token" });
  await addBundle("work", [plain, guarded]);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await gateway.stop();
  await Promise.all([open, closed, ...others].map((server) => server.close()));
});

describe("a bundle", () => {
  it("lists the tools of its servers with their prefixes", async () => {
    const { client } = await connect("work");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "guarded__secret",
      "plain__echo",
      "plain__add",
      "plain__fail",
      "plain__wait",
      "plain__ask",
    ]);
    expect(tools[1]).toEqual({
      name: "plain__echo",
      description: "The tool echo",
      inputSchema: { type: "object" },
    });
  });

  it("has for a derived key with a list of models only the tools of this list", async () => {
    const exp = Math.floor(Date.now() / 1_000) + 600;
    const forModels = deriveKey(token.key, { exp, models: ["demo-chat"] }).key;
    const forTools = deriveKey(token.key, { exp, models: ["demo-chat", "mcp/plain/*"] }).key;
    const { client: without } = await connect("work", forModels);
    expect((await without.listTools()).tools).toEqual([]);
    await expect(without.callTool({ name: "plain__add", arguments: { a: 1, b: 2 } })).rejects.toThrow(
      /mcp\/plain\/add/,
    );
    const { client: within } = await connect("work", forTools);
    expect((await within.listTools()).tools.map(({ name }) => name)).not.toContain("guarded__secret");
    expect(await within.callTool({ name: "plain__add", arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ text: "3" }],
    });
  });

  it("passes calls to the right server, charges them and logs them without arguments", async () => {
    const { client } = await connect("work");
    const before = await balance();
    const result = await client.callTool({ name: "plain__echo", arguments: { text: "confidential" } });
    expect(textOf(result)).toEqual({ type: "text", text: "echo confidential" });
    expect(await client.callTool({ name: "plain__add", arguments: { a: 1, b: 2 } })).toMatchObject({
      content: [{ text: "3" }],
    });
    await expect.poll(balance).toBe(before - 0.01 * DOLLAR);
    const [free, paid] = await gateway.logs(2, token.id);
    expect(paid).toMatchObject({
      type: 2,
      endpoint: "/mcp/work",
      model_name: "mcp/plain/echo",
      quota: 0.01 * DOLLAR,
      outcome: "complete",
      status: 200,
      channel_id: 0,
    });
    expect(free).toMatchObject({ model_name: "mcp/plain/add", quota: 0 });
    expect(JSON.stringify([free, paid])).not.toContain("confidential");
    expect(await gateway.drift()).toBe(0n);
  });

  it("sends no cancellation of a call that is complete", async () => {
    const { client } = await connect("work");
    const before = open.methods.length;
    for (let round = 0; round < 3; round += 1)
      await client.callTool({ name: "plain__add", arguments: { a: 1, b: round } });
    const sent = open.methods.slice(before);
    expect(sent.filter((method) => method === "tools/call")).toHaveLength(3);
    expect(sent).not.toContain("notifications/cancelled");
  });

  it("charges nothing for a result that is an error", async () => {
    const { client } = await connect("work");
    const before = await balance();
    expect(await client.callTool({ name: "plain__fail", arguments: {} })).toMatchObject({ isError: true });
    await expect
      .poll(async () => (await gateway.logs(1, token.id))[0])
      .toMatchObject({
        model_name: "mcp/plain/fail",
        quota: 0,
        content: "The tool reported an error. Nothing was charged.",
      });
    expect(await balance()).toBe(before);
  });

  it("refuses tools and bundles that do not exist, without a log row", async () => {
    const { client } = await connect("work");
    const rows = (await gateway.logs(1, token.id)).length;
    for (const name of ["plain__invented", "other__echo", "echo", "plain__"])
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    expect((await gateway.logs(1, token.id)).length).toBe(rows);
    await expect(connect("unknown")).rejects.toThrow("does not exist, or this key may not use it");
  });

  it("filters tools by its own lists and those of the token", async () => {
    const servers = await gateway.api<McpServerRow[]>("GET", "/mcp_server");
    await addBundle("filtered", servers, { allow: ["plain__*", "guarded__secret"], deny: ["*__fail"] });
    const limited = await gateway.addToken({
      setting: { mcp: { bundles: ["filtered"], allow: ["plain__e*"], deny: [] } },
    });
    // A change of something else leaves them.
    await gateway.api("PUT", "/token", { id: limited.id, setting: { log_bodies: false } });
    const all = await connect("filtered");
    expect((await all.client.listTools()).tools.map(({ name }) => name)).not.toContain("plain__fail");
    const { client } = await connect("filtered", limited.key);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["plain__echo"]);
    await expect(client.callTool({ name: "plain__add" })).rejects.toMatchObject({ code: -32_602 });
    await expect(all.client.callTool({ name: "plain__fail" })).rejects.toMatchObject({ code: -32_602 });
    await expect(connect("work", limited.key)).rejects.toThrow("may not use it");
  });

  it("is for its groups only", async () => {
    const bundle = await addBundle("vips", await gateway.api("GET", "/mcp_server"), { groups: ["vip"] });
    await expect(connect("vips")).rejects.toThrow("may not use it");
    await gateway.api("PUT", "/mcp_bundle", { ...bundle, created_time: undefined, groups: ["default"] });
    await expect(connect("vips")).resolves.toBeDefined();
  });
});

describe("credentials", () => {
  it("of the operator reach their server only, and the gateway's key reaches none", async () => {
    const { client } = await connect("work");
    expect(textOf(await client.callTool({ name: "guarded__secret" }))).toMatchObject({ text: "a secret" });
    await client.callTool({ name: "plain__add", arguments: { a: 1, b: 1 } });
    expect(closed.requests.at(-1)).toMatchObject({ authorization: "Bearer operator-token" });
    for (const headers of [...open.requests, ...closed.requests])
      expect(JSON.stringify(headers)).not.toContain(token.key.slice(3));
    for (const headers of open.requests) expect(headers.authorization).toBeUndefined();
  });

  it("of the caller replace the operator's, at the server that their header names", async () => {
    const { client } = await connect("work", token.key, { "x-mcp-authorization-guarded": "Bearer own" });
    const { tools, _meta } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("guarded__secret");
    expect(JSON.stringify(_meta)).toContain("x-mcp-authorization-guarded");
    expect(closed.requests.at(-1)).toMatchObject({ authorization: "Bearer own" });
    await expect(client.callTool({ name: "guarded__secret" })).rejects.toThrow("x-mcp-authorization-guarded");
    expect(open.requests.at(-1)?.authorization).toBeUndefined();
  });

  it("are refused when they contain the gateway's key", async () => {
    const { client } = await connect("work", token.key, {
      "x-mcp-authorization-guarded": `Bearer ${token.key}`,
    });
    const sent = closed.requests.length;
    await expect(client.callTool({ name: "guarded__secret" })).rejects.toThrow(
      "contains a key of this gateway",
    );
    expect(closed.requests.length).toBe(sent);
  });
});

describe("a client", () => {
  it("gets a session that no other token and no other bundle accepts, and that ends with DELETE", async () => {
    const { client, transport } = await connect("work");
    await client.callTool({ name: "plain__add", arguments: { a: 1, b: 1 } });
    const id = transport.sessionId ?? "";
    for (const upstream of open.sessions.keys()) expect(id).not.toContain(upstream);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await post("work", list, { "mcp-session-id": id })).status).toBe(200);
    const other = await gateway.addToken();
    const foreign = await post("work", list, { "mcp-session-id": id, authorization: `Bearer ${other.key}` });
    expect(foreign.status).toBe(404);
    expect(JSON.parse(foreign.text)).toMatchObject({ error: { code: -32_001 } });
    expect((await post("filtered", list, { "mcp-session-id": id })).status).toBe(404);
    const before = open.sessions.size;
    await transport.terminateSession();
    await expect.poll(() => open.sessions.size).toBe(before - 1);
    expect((await post("work", list, { "mcp-session-id": id })).status).toBe(404);
  });

  it("gets JSON-RPC errors for what is no single message", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect(JSON.parse((await post("work", ping)).text)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    for (const body of [[ping, ping], "{", "7", { jsonrpc: "2.0", id: 1 }]) {
      const { status, text } = await post("work", body);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", id: null, error: {} });
    }
    expect((await post("work", ping, { accept: "application/json" })).status).toBe(406);
    expect((await post("work", ping, { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
    const large = { ...ping, params: { text: "x".repeat(1024 * 1024) } };
    expect(await post("work", large)).toMatchObject({ status: 413 });
    const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, place) => [`name${place}`, 0]));
    expect(await post("work", { ...ping, params: keys })).toMatchObject({ status: 413 });
    expect((await post("work", ping, { authorization: "Bearer sk-wrong-wrong-wrong-wrong" })).status).toBe(
      401,
    );
    const get = await fetch(`${gateway.url}/mcp/work`, { headers: { authorization: `Bearer ${token.key}` } });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, DELETE"]);
  });

  /** Calls a tool that waits, and leaves when the server has the call. */
  async function callAndLeave(bundle: string, name: string): Promise<void> {
    waiting = [];
    const leaving = new AbortController();
    const call = fetch(`${gateway.url}/mcp/${bundle}`, {
      method: "POST",
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${token.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name } }),
    }).then((response) => response.text());
    call.catch(() => {});
    await expect.poll(() => waiting).toHaveLength(1);
    leaving.abort();
  }

  it("that leaves during a call with a price pays for its result", async () => {
    const before = await balance();
    const { client } = await connect("work");
    await callAndLeave("work", "plain__wait");
    // The gateway notices that the client has left while it answers another one.
    await client.ping();
    waiting[0]?.finish();
    await expect
      .poll(async () => (await gateway.logs(1, token.id))[0])
      .toMatchObject({
        model_name: "mcp/plain/wait",
        outcome: "client-left",
        quota: 0.01 * DOLLAR,
      });
    expect(waiting[0]?.aborted).toBe(false);
    expect(await balance()).toBe(before - 0.01 * DOLLAR);
    expect(await gateway.drift()).toBe(0n);
  });

  it("that leaves during a free call ends it at the server", async () => {
    await addBundle("gratis", [await addServer("gratis", open.url)]);
    await callAndLeave("gratis", "gratis__wait");
    await expect.poll(() => waiting[0]?.aborted).toBe(true);
    await expect
      .poll(async () => (await gateway.logs(1, token.id))[0])
      .toMatchObject({
        model_name: "mcp/gratis/wait",
        error_code: "client_disconnected",
        quota: 0,
      });
  });

  it("has a limit of calls at once for all keys of its account", async () => {
    waiting = [];
    await addBundle("crowd", [await addServer("crowd", open.url)]);
    const tokens = await Promise.all(Array.from({ length: 5 }, () => gateway.addToken()));
    const connected = await Promise.all(tokens.map(({ key }) => connect("crowd", key)));
    const calls = connected
      .slice(0, 4)
      .flatMap(({ client }) => Array.from({ length: 16 }, () => client.callTool({ name: "crowd__wait" })));
    const all = Promise.all(calls);
    await expect.poll(() => waiting).toHaveLength(64);
    await expect(connected[4]?.client.callTool({ name: "crowd__add" })).rejects.toThrow("64");
    for (const entry of waiting) entry.finish();
    await all;
    await connected[4]?.client.callTool({ name: "crowd__add" });
  });

  it("whose key is revoked during a call gets an error, and its sessions at servers end", async () => {
    const leaver = await gateway.addToken();
    waiting = [];
    const before = open.sessions.size;
    const { client } = await connect("work", leaver.key);
    const call = client.callTool({ name: "plain__wait" });
    call.catch(() => {});
    await expect.poll(() => waiting).toHaveLength(1);
    expect(open.sessions.size).toBeGreaterThan(before);
    await gateway.api("DELETE", `/token/${leaver.id}`);
    await expect(call).rejects.toThrow("API key");
    await expect.poll(() => open.sessions.size).toBe(before);
    await expect(client.listTools()).rejects.toThrow();
    // Whoever revokes an own key has used the tool all the same.
    expect((await gateway.logs(1, leaver.id))[0]).toMatchObject({
      quota: 0.01 * DOLLAR,
      error_code: "invalid_api_key",
    });
  });

  it("is charged only with what was reserved before the server had the call", async () => {
    const before = await balance();
    const { client } = await connect("work");
    waiting = [];
    await setBalance(0.01 * DOLLAR - 1);
    await expect(client.callTool({ name: "plain__wait" })).rejects.toThrow("balance");
    expect(waiting).toHaveLength(0);
    await setBalance(before);
    const call = client.callTool({ name: "plain__wait" });
    await expect.poll(() => waiting).toHaveLength(1);
    const { reserved } = await gateway.database.db.user.findFirstOrThrow({ where: { username: "root" } });
    expect(Number(reserved)).toBeGreaterThanOrEqual(0.01 * DOLLAR);
    waiting[0]?.finish();
    await call;
    expect(await gateway.drift()).toBe(0n);
  });

  it("with one last cent gets one of two parallel calls", async () => {
    const before = await balance();
    await setBalance(0.01 * DOLLAR);
    waiting = [];
    const { client } = await connect("work");
    const results = [1, 2].map(() => client.callTool({ name: "plain__wait" }));
    const outcomes = Promise.allSettled(results);
    await expect.poll(() => waiting).toHaveLength(1);
    await expect(
      Promise.any(
        results.map((result) =>
          result.then(
            () => Promise.reject(new Error("none")),
            (error: Error) => error.message,
          ),
        ),
      ),
    ).resolves.toContain("balance");
    waiting[0]?.finish();
    expect(waiting).toHaveLength(1);
    expect((await outcomes).map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect.poll(balance).toBe(0);
    expect(await client.callTool({ name: "plain__add", arguments: { a: 2, b: 2 } })).toBeDefined();
    await setBalance(before);
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("a server", () => {
  it("whose requests to the client are refused", async () => {
    const { client } = await connect("work");
    expect(textOf(await client.callTool({ name: "plain__ask" }))).toMatchObject({
      text: expect.stringMatching(/not support|not found/i),
    });
  });

  it("that takes too long is left, and nothing is charged", async () => {
    const slow = await addServer("slow", open.url, { timeout_seconds: 1, price: 1 });
    await addBundle("slow", [slow]);
    const before = await balance();
    waiting = [];
    const { client } = await connect("slow");
    await expect(client.callTool({ name: "slow__wait" })).rejects.toThrow("took too long");
    expect(waiting).toHaveLength(1);
    await expect
      .poll(async () => (await gateway.logs(1, token.id))[0])
      .toMatchObject({
        error_code: "upstream_timeout",
        quota: 0,
      });
    expect(await balance()).toBe(before);
  });

  it("with thousands of tools, endless pages or an endless stream is cut with one error", async () => {
    const many = await startMcpServer({
      handlers: {},
      list: () => ({
        tools: Array.from({ length: 5_000 }, (_, place) => ({
          name: `tool${place}`,
          inputSchema: { type: "object" as const },
        })),
      }),
    });
    let page = 0;
    const paged = await startMcpServer({
      handlers: {},
      list: () => ({ tools: [], nextCursor: `page${(page += 1)}` }),
    });
    const endless = await startRawMcpServer((_message, response) => {
      const notification = { method: "notifications/message", params: { level: "info", data: "x" } };
      const send = () => {
        while (response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...notification })}\n\n`));
      };
      // A response that was cut drains no more.
      response.on("drain", send);
      send();
    });
    others.push(many, paged, endless);
    for (const [name, { url }] of Object.entries({ many, paged, endless })) {
      const row = await addServer(name, url);
      await addBundle(name, [row]);
      const { client } = await connect(name);
      await expect(client.listTools()).rejects.toThrow("sent more than the gateway accepts");
    }
    expect(page).toBeLessThanOrEqual(10);
  });

  it("that sends thousands of invalid values holds up no one", async () => {
    const items = Array.from({ length: 100_000 }, () => ({ type: "x", a: 1 }));
    const name = "flood";
    let floodsList = false;
    const flood = await startRawMcpServer(({ id, method }, response) => {
      const tools = floodsList ? items.map(() => 7) : [{ name, inputSchema: { type: "object" } }];
      const result = method === "tools/list" ? { tools } : { content: items };
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    });
    others.push(flood);
    await addBundle("flooded", [await addServer("flooded", flood.url)]);
    const { client } = await connect("flooded");
    const begun = performance.eventLoopUtilization();
    await expect(client.callTool({ name: `flooded__${name}` })).rejects.toThrow(
      "sent more than the gateway accepts",
    );
    floodsList = true;
    await addBundle("flooded-list", [await addServer("flooded-list", flood.url)]);
    const { client: lister } = await connect("flooded-list");
    await expect(lister.listTools()).rejects.toThrow("sent more than the gateway accepts");
    // Checking each of them against the protocol takes several seconds.
    expect(performance.eventLoopUtilization(begun).active).toBeLessThan(3_000);
  });

  it("that ends its stream early or cannot be reached gets an error at once", async () => {
    const early = await startRawMcpServer((_message, response) => {
      response.end(": hello\n\n");
    });
    others.push(early);
    await addBundle("early", [await addServer("early", early.url)]);
    const { client } = await connect("early");
    await expect(client.listTools()).rejects.toThrow("ended its response before the result");
    await addBundle("gone", [await addServer("gone", "http://127.0.0.1:1/mcp")]);
    const gone = await connect("gone");
    await expect(gone.client.listTools()).rejects.toThrow("cannot be reached");
  });

  it("that redirects is not followed", async () => {
    const redirect = await startRedirect(open.url);
    others.push(redirect);
    await addBundle("redirect", [await addServer("redirect", redirect.url)]);
    const sent = open.requests.length;
    const { client } = await connect("redirect");
    await expect(client.listTools()).rejects.toThrow("cannot be reached");
    expect(open.requests.length).toBe(sent);
  });

  it("in a private network needs root's permission", async () => {
    await addBundle("inside", [await addServer("inside", open.url, { private_address: false })]);
    const sent = open.requests.length;
    const { client } = await connect("inside");
    await expect(client.listTools()).rejects.toThrow("Root must allow that first");
    expect(open.requests.length).toBe(sent);
  });

  it("whose session was lost gets a new one", async () => {
    const { client } = await connect("work");
    await client.callTool({ name: "plain__add", arguments: { a: 1, b: 1 } });
    open.sessions.clear();
    expect(textOf(await client.callTool({ name: "plain__add", arguments: { a: 1, b: 2 } }))).toMatchObject({
      text: "3",
    });
  });
});

describe("the management API", () => {
  it("never sends a credential, and writes audit rows without it", async () => {
    const servers = await gateway.api<McpServerRow[]>("GET", "/mcp_server");
    expect(servers.find(({ name }) => name === "guarded")).toMatchObject({ has_credential: true });
    expect(JSON.stringify(servers)).not.toContain("operator-token");
    const rows = await gateway.database.pool.query(
      "SELECT before, after FROM audit_entries WHERE target_type = 'mcp_server'",
    );
    expect(rows.rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows.rows)).not.toContain("operator-token");
    const stored = await gateway.database.pool.query(
      "SELECT credential FROM mcp_servers WHERE name = 'guarded'",
    );
    expect(stored.rows[0].credential.toString("latin1")).not.toContain("operator-token");
  });

  it("lists a user the bundles of the groups that their tokens can have, without addresses", async () => {
    const [server] = await gateway.api<McpServerRow[]>("GET", "/mcp_server");
    const group = { symbol: "closed", name: "Closed", ratio: 1, api_rate: 60, min: 0, max: 0 };
    await gateway.api("POST", "/user_group", group);
    await addBundle("for-closed", [server!], { groups: ["closed"] });
    await addBundle("switched-off", [server!], { enabled: false });
    await addBundle("for-default", [server!], { groups: ["default"], description: "Daily work" });
    const listed = await gateway.api<UsableMcpBundle[]>("GET", "/user/mcp_bundle");
    const names = listed.map(({ name }) => name);
    expect(names).toContain("for-default");
    expect(names).not.toContain("for-closed");
    expect(names).not.toContain("switched-off");
    expect(listed.find(({ name }) => name === "for-default")).toEqual({
      name: "for-default",
      description: "Daily work",
      servers: [server!.name],
    });
  });

  it("removes the limits of a token with empty lists", async () => {
    const limited = await gateway.addToken({ setting: { mcp: { bundles: ["none"], allow: [], deny: [] } } });
    await expect(connect("for-default", limited.key)).rejects.toThrow();
    const setting = { mcp: { bundles: [], allow: [], deny: [] } };
    const after = await gateway.api<TokenRow>("PUT", "/token", { id: limited.id, setting });
    expect(after.setting.mcp).toBeUndefined();
    await connect("for-default", limited.key);
  });

  it("refuses names, addresses and headers that cannot be used", async () => {
    for (const fields of [
      { name: "two__parts" },
      { url: "ftp://example.com" },
      { url: "http://user:password@example.com/mcp" },
      { header: "Host" },
      { credential: "a\r\nx-other: b" },
      { price: -1 },
    ])
      await expect(addServer("fine", "https://example.com/mcp", fields)).rejects.toThrow("400");
    await expect(addServer("plain", "https://example.com/mcp")).rejects.toThrow("409");
  });
});
