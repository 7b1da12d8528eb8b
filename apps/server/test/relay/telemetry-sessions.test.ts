import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Collector, type ReceivedSpan, startCollector } from "#test/collector.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Traces of calls over WebSocket: realtime sessions, and responses of a connection. */
let collector: Collector;
let gateway: TestGateway;
let key: string;
let traceNumber = 0;
let traceId = "";
const clientSpan = "b7ad6b7169203331";
const sockets: WebSocket[] = [];

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startTestGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    TRACE_CONTEXT_TO_PROVIDERS: "1",
  });
  const models = ["demo-realtime", "demo-chat"];
  await gateway.addChannel({ type: 8, name: "works", models });
  await gateway.addPrice("demo-realtime", { output: 2 });
  await gateway.addPrice("scribe", { output: 2 });
});
beforeEach(async () => {
  traceNumber += 1;
  traceId = traceNumber.toString(16).padStart(32, "a");
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await expect.poll(() => gateway.database.db.reservation.count(), { interval: 20 }).toBe(0);
});
afterAll(async () => {
  await gateway.stop();
  await collector.close();
});

interface Client {
  send(...events: object[]): void;
  /** Waits until this many events of the type have arrived. */
  received(type: string, count?: number): Promise<void>;
  close(): void;
}

async function connect(path: string): Promise<Client> {
  const socket = new WebSocket(gateway.url.replace("http", "ws") + path, {
    headers: { authorization: `Bearer ${key}`, traceparent: `00-${traceId}-${clientSpan}-01` },
  });
  sockets.push(socket);
  const types: string[] = [];
  socket.on("message", (data: Buffer) => types.push((JSON.parse(data.toString()) as { type: string }).type));
  socket.on("error", () => undefined);
  await once(socket, "open");
  return {
    send: (...events) => {
      for (const event of events) socket.send(JSON.stringify(event));
    },
    received: (type, count = 1) =>
      expect
        .poll(() => types.filter((each) => each === type).length, { timeout: 15_000, interval: 5 })
        .toBeGreaterThanOrEqual(count),
    close: () => socket.close(),
  };
}

const say = (text: string) => [
  {
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  },
  { type: "response.create" },
];

/** Returns the spans of this test's trace, once it has this many. */
async function spansOf(count: number): Promise<ReceivedSpan[]> {
  const own = () => collector.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => own().length, { timeout: 15_000, interval: 50 }).toBeGreaterThanOrEqual(count);
  return own().toSorted((one, other) => one.startMs - other.startMs);
}

const numbers = (spans: readonly ReceivedSpan[], name: string) =>
  spans.map(({ attributes }) => Number(attributes[name]));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

it("a realtime session is one span of the client's trace, with a span for each attempt and each response", async () => {
  const failing = { type: 8, name: "fails", key: "demo-fail-500", models: ["demo-realtime"], priority: 10 };
  const { id } = await gateway.addChannel(failing);
  const client = await connect("/v1/realtime?model=demo-realtime");
  await gateway.api("DELETE", `/channel/${id}`);
  await client.received("session.created");
  client.send(...say("Say something kind"));
  await client.received("response.done");
  client.send(...say("And a second time"));
  await client.received("response.done", 2);
  client.close();
  const spans = await spansOf(5);
  expect(spans).toHaveLength(5);
  const root = spans.find(({ kind }) => kind === 2);
  const attempts = spans.filter(({ kind }) => kind === 3);
  const responses = spans.filter(({ kind }) => kind === 1);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5);
  expect([...attempts, ...responses].every(({ parentSpanId }) => parentSpanId === root?.spanId)).toBe(true);

  expect(root).toMatchObject({
    name: "realtime demo-realtime",
    parentSpanId: clientSpan,
    status: {},
    attributes: {
      "gen_ai.operation.name": "realtime",
      "gen_ai.request.model": "demo-realtime",
      "gen_ai.response.model": "demo-realtime",
      "http.route": "/v1/realtime",
      "http.response.status_code": 101,
      "gateway.channel.name": "works",
      "gateway.outcome": "complete",
      "gateway.attempts": 2,
      "gateway.session.responses": 2,
    },
  });
  expect(attempts.map(({ attributes }) => attributes["gateway.channel.name"])).toEqual(["fails", "works"]);
  expect(attempts[0]).toMatchObject({ status: { code: 2, message: "server" } });
  // The second attempt is the session at the provider.
  expect(attempts[1]?.endMs).toBe(root?.endMs);
  const announced = gateway.upstream.calls().at(-1)?.headers["traceparent"];
  expect(announced).toBe(`00-${traceId}-${attempts[1]?.spanId}-01`);

  expect(responses.map(({ name }) => name)).toEqual(["response demo-realtime", "response demo-realtime"]);
  const rows = await gateway.logs(3);
  const ids = responses.map(({ attributes }) => attributes["gateway.request.id"]);
  const charged = rows.filter(({ request_id }) => ids.includes(request_id));
  expect(charged).toHaveLength(2);
  const total = (name: string) => Number(root?.attributes[name]);
  expect(total("gateway.charge.points")).toBe(sum(charged.map(({ quota }) => quota)));
  expect(total("gen_ai.usage.output_tokens")).toBe(sum(charged.map((row) => row.completion_tokens)));
  for (const [whole, part] of [
    ["gateway.charge.points", "gateway.response.charge.points"],
    ["gateway.cost.usd", "gateway.response.cost.usd"],
    ["gen_ai.usage.input_tokens", "gateway.response.input_tokens"],
  ] as const) {
    expect(Math.min(...numbers(responses, part)), part).toBeGreaterThan(0);
    expect(total(whole), whole).toBeCloseTo(sum(numbers(responses, part)), 12);
  }
});

it("a session without a response is one span without a charge", async () => {
  const client = await connect("/v1/realtime?model=demo-realtime");
  await client.received("session.created");
  client.close();
  const spans = await spansOf(2);
  expect(spans.filter(({ kind }) => kind === 1)).toEqual([]);
  expect(spans.find(({ kind }) => kind === 2)?.attributes).toMatchObject({
    "gateway.charge.points": 0,
    "gateway.session.responses": 0,
    "gateway.outcome": "complete",
  });
});

it("a session that its provider breaks off is a span with an error", async () => {
  const client = await connect("/v1/realtime?model=demo-realtime");
  await client.received("session.created");
  client.send(...say("[[cut=2]] Say something long"));
  await client.received("error");
  const spans = await spansOf(3);
  expect(spans.find(({ kind }) => kind === 2)).toMatchObject({
    status: { code: 2, message: "upstream_failed" },
    attributes: { "gateway.outcome": "upstream-died", "error.type": "upstream_failed" },
  });
});

it("each response over a connection for responses is a span of the client's trace", async () => {
  const client = await connect("/v1/responses");
  const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }];
  for (const count of [1, 2]) {
    client.send({ type: "response.create", model: "demo-chat", input });
    await client.received("response.completed", count);
  }
  client.close();
  const roots = (await spansOf(4)).filter(({ kind }) => kind === 2);
  expect(roots).toHaveLength(2);
  for (const root of roots)
    expect(root).toMatchObject({
      name: "chat demo-chat",
      parentSpanId: clientSpan,
      attributes: { "gen_ai.response.finish_reasons": ["completed"], "gateway.channel.name": "works" },
    });
});

it("the cost of a call in a free group is the price without the group's ratio", async () => {
  const { data: groups } = await gateway.api<{ data: { id: number; symbol: string }[] }>(
    "GET",
    "/user_group",
  );
  const group = groups.find(({ symbol }) => symbol === "default");
  await gateway.api("PUT", `/user_group/${group?.id}`, { ratio: 0 });
  try {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        traceparent: `00-${traceId}-${clientSpan}-01`,
      },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
    const root = (await spansOf(2)).find(({ kind }) => kind === 2);
    expect(root?.attributes["gateway.charge.points"]).toBe(0);
    expect(root?.attributes["gateway.cost.usd"]).toBeGreaterThan(0);
  } finally {
    await gateway.api("PUT", `/user_group/${group?.id}`, { ratio: 1 });
  }
});
