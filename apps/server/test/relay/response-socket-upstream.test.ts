import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChannelForm } from "@gateway/shared/channels/channel";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Responses over WebSocket that use a WebSocket to the provider, too. */
let gateway: TestGateway;
let key: string;
let userId: number;
const open: WebSocket[] = [];
const servers: Server[] = [];
const ends = ["response.completed", "response.incomplete", "response.failed", "error"];

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  await gateway.api("PUT", "/option", { key: "RetryTimes", value: 0 });
  ({ key, user_id: userId } = await gateway.addToken());
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  gateway.upstream.control.reset();
  await settled();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => gateway.stop());

async function settled(): Promise<void> {
  await expect.poll(() => gateway.database.db.reservation.count(), { interval: 20 }).toBe(0);
  expect(await gateway.drift()).toBe(0n);
}

function addDemo(model: string, fields: Partial<ChannelForm>) {
  const models = fields.models ?? [model];
  const model_mapping = Object.fromEntries(models.map((name) => [name, "demo-chat"]));
  return gateway.addChannel({ type: 1, name: model, models, model_mapping, ...fields });
}

interface Event {
  type: string;
  status?: number;
  error?: { code: string; message: string };
  response?: { id: string; previous_response_id?: string; [field: string]: unknown };
}

interface Client {
  socket: WebSocket;
  /** Sends a request and returns its events. */
  ask(model: string, text: string, fields?: object): Promise<Event[]>;
  /** Sends a request and waits for its first event of this type. */
  begin(model: string, text: string, type: string): Promise<void>;
  /** Waits for the response that has begun. */
  done(): Promise<Event[]>;
  /** Sends any message and returns the error for it. */
  raw(message: string | Buffer): Promise<Event>;
}

async function connect(apiKey = key, headers = {}): Promise<Client> {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  });
  open.push(socket);
  const events: Event[] = [];
  socket.on("message", (data: Buffer) => events.push(JSON.parse(data.toString()) as Event));
  socket.on("error", () => {});
  await once(socket, "open");
  const send = (model: string, text: string, fields: object) => {
    const input = [{ type: "message", role: "user", content: [{ type: "input_text", text }] }];
    socket.send(JSON.stringify({ type: "response.create", model, store: false, input, ...fields }));
  };
  const until = async (from: number, types: string[]) => {
    const at = () => events.findIndex((event, index) => index >= from && types.includes(event.type));
    await expect.poll(at, { timeout: 15_000, interval: 5 }).toBeGreaterThanOrEqual(0);
    return events.slice(from, at() + 1);
  };
  return {
    socket,
    async ask(model, text, fields = {}) {
      const from = events.length;
      send(model, text, fields);
      return until(from, ends);
    },
    async begin(model, text, type) {
      const from = events.length;
      send(model, text, {});
      await until(from, [type]);
    },
    done: () =>
      until(
        events.findLastIndex(({ type }) => type === "response.created"),
        ["response.completed"],
      ),
    async raw(message) {
      const from = events.length;
      socket.send(message);
      const [error] = (await until(from, ["error"])).slice(-1);
      return error ?? { type: "" };
    },
  };
}

const continuing = (events: Event[]) => ({ previous_response_id: events.at(-1)?.response?.id });
const header = (name: string) => gateway.upstream.calls().map(({ headers }) => headers[name]);
const rows = async (count: number) => (await gateway.logs(count)).slice(0, count);

describe("responses over WebSocket at a provider with WebSockets", () => {
  beforeAll(async () => {
    await addDemo("demo", { models: ["demo", "other"], key: "first" });
  });

  it("send only the new items on one connection, and charge each response", async () => {
    const client = await connect();
    const first = await client.ask("demo", "My name is Ada. [[say=Hello Ada]]");
    const second = await client.ask("demo", "And again.", continuing(first));
    const third = await client.ask("demo", "Once more.", continuing(second));
    expect([first, second, third].map((events) => events.at(-1)?.type)).toEqual(
      Array(3).fill("response.completed"),
    );
    expect(third.at(-1)?.response?.previous_response_id).toBe(second.at(-1)?.response?.id);
    const [socket] = header("x-demo-socket");
    expect(socket).toBeDefined();
    expect(header("x-demo-socket")).toEqual([socket, socket, socket]);
    expect(header("x-demo-items")).toEqual(["1", "1", "1"]);
    // The provider put the conversation together.
    expect(JSON.stringify(gateway.upstream.calls().at(-1)?.body)).toContain("My name is Ada");
    await settled();
    const charged = await rows(3);
    expect(charged.every((row) => row.quota > 0 && row.user_id === userId)).toBe(true);
    // The whole conversation is billed, as the provider counted it.
    expect(charged[0]!.prompt_tokens).toBeGreaterThan(charged[2]!.prompt_tokens);
  });

  it("send everything after a fork, another model, or a warm-up", async () => {
    const client = await connect();
    const first = await client.ask("demo", "One");
    const second = await client.ask("demo", "Two", continuing(first));
    const fork = await client.ask("demo", "Two instead", continuing(first));
    const other = await client.ask("other", "Three", continuing(second));
    const warm = await client.ask("demo", "Four", { generate: false });
    const last = await client.ask("demo", "Five", continuing(warm));
    for (const events of [fork, other, last]) expect(events.at(-1)?.type).toBe("response.completed");
    expect(header("x-demo-items")).toEqual(["1", "1", "3", "5", "2"]);
  });

  it("keep one connection per client", async () => {
    const clients = await Promise.all([connect(), connect()]);
    await Promise.all(clients.map((client) => client.ask("demo", "Hi")));
    expect(new Set(header("x-demo-socket")).size).toBe(2);
  });

  it("use HTTP for calls over HTTP, and for channels where the operator disabled it", async () => {
    const post = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo", input: "Hi", stream: true }),
    });
    expect(await post.text()).toContain("response.completed");
    await addDemo("http-only", { responses_websocket: false });
    const client = await connect();
    expect((await client.ask("http-only", "Hi")).at(-1)?.type).toBe("response.completed");
    expect(header("x-demo-socket")).toEqual([undefined, undefined]);
  });

  it("have the transport of each attempt in the log", async () => {
    const client = await connect();
    await client.ask("demo", "Hi");
    await client.ask("demo", "Hi [[status=429]]");
    await addDemo("over-http", { responses_websocket: false });
    await client.ask("over-http", "Hi");
    await settled();
    const transports = (await rows(3)).map(({ attempts }) => attempts?.map(({ transport }) => transport));
    expect(transports).toEqual([[undefined], ["websocket"], ["websocket"]]);
  });

  it("report failures of the provider as over HTTP, and continue on the connection", async () => {
    const client = await connect();
    const refused = await client.ask("demo", "Hi [[status=429]]");
    expect(refused.at(-1)).toMatchObject({ type: "error", status: 429 });
    const broken = await client.ask("demo", "Hi [[cut=3]] [[length=20]]");
    expect(broken.at(-1)).toMatchObject({ type: "error", status: 502, error: { code: "upstream_failed" } });
    expect((await client.ask("demo", "Hi")).at(-1)?.type).toBe("response.completed");
    await settled();
    const [, cut] = await rows(3);
    expect(cut).toMatchObject({ outcome: "upstream-died" });
  });

  it("try the next channel when one fails before its first event", async () => {
    await gateway.api("PUT", "/option", { key: "RetryTimes", value: 2 });
    await addDemo("two", { key: "demo-fail-500", priority: 9 });
    await addDemo("two", { key: "second" });
    const client = await connect();
    expect((await client.ask("two", "Hi")).at(-1)?.type).toBe("response.completed");
    expect(gateway.upstream.calls().map((call) => call.status)).toEqual([500, 200]);
    expect(header("x-demo-socket").every(Boolean)).toBe(true);
    await settled();
  });

  it("open another connection when the channel's key changes", async () => {
    const channel = await addDemo("keys", { key: "old" });
    const client = await connect();
    const first = await client.ask("keys", "One");
    await gateway.api("PUT", "/channel", { id: channel.id, key: "new" });
    const second = await client.ask("keys", "Two", continuing(first));
    expect(second.at(-1)?.type).toBe("response.completed");
    expect(gateway.upstream.calls().map((call) => call.key)).toEqual(["old", "new"]);
    expect(header("x-demo-items")).toEqual(["1", "3"]);
  });

  it("survive invalid events of the client, before, between and during responses", async () => {
    const client = await connect(key, { session_id: "x".repeat(10_240) });
    const first = await client.ask("demo", "One");
    const invalid = ["{", "[]", '{"type":"response.explode"}', '{"type":"response.create","input":7}'];
    for (const text of invalid) expect((await client.raw(text)).error?.code).toBe("invalid_request");
    expect((await client.raw(Buffer.from("{}"))).error?.code).toBe("invalid_request");
    await client.begin("demo", "Hi [[length=30]] [[chunk-delay=20]]", "response.output_text.delta");
    expect(
      (await client.raw('{"type":"response.create","model":"demo","input":"Hi"}')).error?.message,
    ).toContain("in progress");
    await client.done();
    const last = await client.ask("demo", "Two", continuing(first));
    expect(last.at(-1)?.type).toBe("response.completed");
    expect(new Set(header("x-demo-socket")).size).toBe(1);
    await settled();
    expect((await rows(3)).every((row) => row.quota > 0)).toBe(true);
    const closed = once(client.socket, "close");
    client.socket.send(Buffer.alloc(20 * 1024 * 1024, 65), { binary: false }, () => {});
    expect((await closed)[0]).toBe(1009);
  });

  it("settle the response of a client that disconnects, and end the provider's", async () => {
    const client = await connect();
    await client.begin("demo", "Hi [[length=400]] [[chunk-delay=20]]", "response.output_text.delta");
    client.socket.terminate();
    await settled();
    await expect.poll(async () => (await rows(1))[0]?.outcome).toBe("client-left");
    await expect.poll(() => gateway.upstream.calls()[0]?.endedAt).toBeDefined();
  });
});

/** Provider that a test writes itself, at an address of OpenAI's kind. */
interface Script {
  /** Requests for an upgrade, and messages of all connections. */
  upgrades: number;
  posts: number;
  sent: Record<string, unknown>[];
  closed: number;
}

let scripts = 0;

/** @param answer sends the events of a request, or a status that refuses the upgrade */
async function provider(
  answer: number | ((socket: WebSocket, request: Record<string, unknown>, script: Script) => void),
): Promise<{ model: string; script: Script }> {
  const script: Script = { upgrades: 0, posts: 0, sent: [], closed: 0 };
  const server = createServer((request, response) => {
    script.posts += 1;
    void forward(request).then((text) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
    });
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    script.upgrades += 1;
    if (typeof answer === "number") {
      socket.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.once("close", () => (script.closed += 1));
      client.on("message", (data: Buffer) => {
        const message = JSON.parse(data.toString()) as Record<string, unknown>;
        script.sent.push(message);
        answer(client, message, script);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  scripts += 1;
  const model = `scripted-${scripts}`;
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model_mapping = { [model]: "demo-chat" };
  await gateway.addChannel({ type: 1, name: model, models: [model], model_mapping, key: "sk-1", base_url });
  return { model, script };
}

async function forward(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const answer = await fetch(`${gateway.upstream.url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: Buffer.concat(parts),
  });
  return answer.text();
}

let responses = 0;

function complete(socket: WebSocket, text = "Done"): void {
  responses += 1;
  const id = `resp_scripted${responses}`;
  const content = [{ type: "output_text", text, annotations: [] }];
  const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const response = { id, object: "response", model: "m", status: "completed", output, usage };
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  socket.send(
    JSON.stringify({
      type: "response.created",
      response: { ...response, status: "in_progress", output: [], usage: null },
    }),
  );
  socket.send(JSON.stringify({ type: "response.output_text.delta", ...at, delta: text }));
  socket.send(JSON.stringify({ type: "response.completed", response }));
}

const error = (status: number, code: string) =>
  JSON.stringify({ type: "error", status, error: { type: "invalid_request_error", code, message: code } });
const inputs = ({ sent }: Script) => sent.map(({ input }) => (input as unknown[]).length);

describe("a provider's WebSocket", () => {
  it.each([404, 405, 426, 400, 200, 501])("is not tried again for a while after %i", async (status) => {
    const { model, script } = await provider(status);
    const client = await connect();
    const first = await client.ask(model, "Hi");
    const second = await client.ask(model, "Again", continuing(first));
    for (const events of [first, second]) expect(events.at(-1)?.type).toBe("response.completed");
    expect(script).toMatchObject({ upgrades: 1, posts: 2 });
  });

  it("carries response.create without the fields of HTTP", async () => {
    const { model, script } = await provider((socket) => complete(socket));
    const client = await connect();
    await client.ask(model, "Hi", { instructions: "Be brief.", stream: true });
    expect(script.posts).toBe(0);
    expect(script.sent).toMatchObject([
      { type: "response.create", model: "demo-chat", store: false, instructions: "Be brief." },
    ]);
    expect(Object.keys(script.sent[0]!)).not.toContain("stream");
  });

  it("gets everything once more when the provider no longer has the earlier response", async () => {
    const { model, script } = await provider((socket, { previous_response_id: id }) => {
      if (id === undefined) complete(socket);
      else socket.send(error(400, "previous_response_not_found"));
    });
    const client = await connect();
    const first = await client.ask(model, "One");
    expect((await client.ask(model, "Two", continuing(first))).at(-1)?.type).toBe("response.completed");
    expect(inputs(script)).toEqual([1, 1, 3]);
    expect(script.upgrades).toBe(1);
    await settled();
    expect((await rows(2)).every((row) => row.quota > 0)).toBe(true);
  });

  it("is replaced after its time limit, or when the provider closed it", async () => {
    let requests = 0;
    const { model, script } = await provider((socket) => {
      requests += 1;
      if (requests === 2) {
        socket.send(error(400, "websocket_connection_limit_reached"));
        socket.close(1000);
      } else complete(socket);
      if (requests === 3) setImmediate(() => socket.close(1001));
    });
    const client = await connect();
    const first = await client.ask(model, "One");
    const second = await client.ask(model, "Two", continuing(first));
    await expect.poll(() => script.closed).toBe(2);
    const third = await client.ask(model, "Three", continuing(second));
    expect(third.at(-1)?.type).toBe("response.completed");
    expect(script.upgrades).toBe(3);
    expect(inputs(script)).toEqual([1, 1, 3, 5]);
  });

  it("is closed with the client's connection, and when the account is disabled", async () => {
    const { model, script } = await provider((socket) => complete(socket));
    const client = await connect();
    await client.ask(model, "Hi");
    client.socket.close();
    await expect.poll(() => script.closed).toBe(1);
    const { key: other, id } = await gateway.addToken();
    const disabled = await connect(other);
    await disabled.ask(model, "Hi");
    await gateway.api("DELETE", `/token/${id}`);
    await expect.poll(() => script.closed).toBe(2);
  });

  it.each<[string, (socket: WebSocket) => void]>([
    ["text that is not JSON", (socket) => socket.send("<html>")],
    ["nothing but the end", (socket) => socket.close(1011)],
    ["a message of 20 MB", (socket) => socket.send(JSON.stringify({ type: "x".repeat(20 * 1024 * 1024) }))],
    ["an error without a status", (socket) => socket.send('{"type":"error"}')],
    ["a list", (socket) => socket.send("[1,2]")],
    ["bytes", (socket) => socket.send(Buffer.from([0xff, 0xfe, 0]))],
    ["a broken connection", (socket) => socket.terminate()],
  ])("may send %s: the client gets an error and nothing stays reserved", async (_what, answer) => {
    const { model } = await provider(answer);
    const client = await connect();
    const failed = (await client.ask(model, "Hi")).at(-1);
    expect(failed?.type).toBe("error");
    expect(failed?.status).toBeGreaterThanOrEqual(500);
    await settled();
    expect((await rows(1))[0]).toMatchObject({ quota: 0 });
  });

  it("may send JSON in lines, with the type last", async () => {
    const { model } = await provider((socket) => {
      const send = socket.send.bind(socket);
      socket.send = (data: string) => {
        const { type, ...rest } = JSON.parse(data) as Event;
        send(JSON.stringify({ ...rest, type }, undefined, 2));
      };
      complete(socket, "Lines");
      socket.send = send;
    });
    const client = await connect();
    const events = await client.ask(model, "Hi");
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(JSON.stringify(events)).toContain("Lines");
  });
});
