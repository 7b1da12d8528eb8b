import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Collector, startCollector } from "#test/collector.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const clientSpan = "b7ad6b7169203331";
const traced = { traceparent: `00-${traceId}-${clientSpan}-01`, tracestate: "acme=value" };

interface World {
  gateway: TestGateway;
  collector: Collector;
  ask(body?: object, headers?: Record<string, string>, path?: string): Promise<Response>;
  stop(): Promise<void>;
}

/** The gateway of the tests that need no setting of their own. */
let usual: World;
/** A gateway whose operator allows everything that is off by default. */
let open: World;
beforeAll(async () => {
  usual = await start({ ACCESS_LOG: "1" });
  open = await start({
    TRACE_CONTEXT_TO_PROVIDERS: "1",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
});
afterAll(async () => {
  await usual.stop();
  await open.stop();
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  usual.collector.forget();
  open.collector.forget();
});

async function start(env: Record<string, string>): Promise<World> {
  const collector = await startCollector();
  const gateway = await startTestGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    ...env,
  });
  await gateway.addChannel({ type: 8, name: "first", models: ["demo-chat"] });
  const { key } = await gateway.addToken({ unlimited_quota: true });
  return {
    gateway,
    collector,
    ask: (body = {}, headers = {}, path = "/v1/chat/completions") =>
      fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({
          model: "demo-chat",
          messages: [{ role: "user", content: "a-private-question" }],
          ...body,
        }),
      }),
    async stop() {
      await gateway.stop();
      await collector.close();
    },
  };
}

const waitFor = async <Found>(find: () => Found | undefined): Promise<Found> => {
  await expect.poll(find, { timeout: 15_000, interval: 50 }).toBeTruthy();
  return find() as Found;
};

it("a call is a span of the client's trace, with a span for each attempt", async () => {
  const { gateway, collector, ask } = usual;
  const broken = await gateway.addChannel({
    type: 8,
    name: "broken",
    key: "demo-fail-500",
    models: ["demo-chat"],
    priority: 10,
  });
  closing.push(() => gateway.api("DELETE", `/channel/${broken.id}`));
  const answer = await ask({ stream: true }, { ...traced, "x-request-id": "mine" });
  expect(await answer.text()).toContain("[DONE]");
  const root = await waitFor(() => collector.spans.find(({ parentSpanId }) => parentSpanId === clientSpan));
  const [failed, served] = collector.spans
    .filter(({ parentSpanId }) => parentSpanId === root.spanId)
    .toSorted((one, other) => one.startMs - other.startMs || one.status.code! - other.status.code!);
  expect(root).toMatchObject({
    name: "chat demo-chat",
    traceId,
    kind: 2,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "demo-chat",
      "gen_ai.response.model": "demo-chat",
      "gen_ai.response.finish_reasons": ["stop"],
      "gateway.client.dialect": "openai-chat",
      "gateway.client.request_id": "mine",
      "gateway.request.id": answer.headers.get("x-oneapi-request-id"),
      "gateway.channel.name": "first",
      "gateway.outcome": "complete",
      "gateway.attempts": 2,
      "http.response.status_code": 200,
    },
  });
  const { attributes } = root;
  for (const name of ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gateway.charge.points"])
    expect(attributes[name]).toBeGreaterThan(0);
  expect(attributes["gateway.cost.usd"]).toBeGreaterThan(0);
  expect(served).toMatchObject({ kind: 3, traceId, attributes: { "gateway.channel.name": "first" } });
  expect(failed).toMatchObject({
    status: { code: 2, message: "server" },
    attributes: {
      "gateway.channel.name": "broken",
      "error.type": "server",
      "http.response.status_code": 500,
    },
  });
  expect(root.endMs).toBeGreaterThanOrEqual(served?.endMs ?? Infinity);
  expect(root.startMs).toBeLessThanOrEqual(failed?.startMs ?? 0);
  const line = await waitFor(() => collector.logs.find(({ body }) => body === "call"));
  expect(line).toMatchObject({ severity: "INFO", traceId, attributes: { clientReqId: "mine", status: 200 } });
  expect(collector.resource).toMatchObject({ "service.name": "gateway" });
  expect(collector.text()).not.toContain("a-private-question");
});

it("a failed call is a span with its error, and an invalid trace of a client begins a new one", async () => {
  const { collector, ask } = usual;
  expect((await ask({ model: "unknown" }, { traceparent: "00-not-a-trace" })).status).toBe(404);
  const root = await waitFor(() => collector.spans[0]);
  expect(root.parentSpanId).toBeUndefined();
  expect(root).toMatchObject({
    status: { code: 2, message: "model_not_found" },
    attributes: { "error.type": "model_not_found", "http.response.status_code": 404 },
  });
});

it("finish reasons of other dialects and whole responses are on their spans", async () => {
  const { collector, ask } = usual;
  await (await ask()).text();
  await (await ask({ max_tokens: 5_000 }, {}, "/v1/messages")).text();
  await (await ask({ input: "hi", messages: undefined }, {}, "/v1/responses")).text();
  const roots = await waitFor(() => {
    const found = collector.spans.filter(({ kind }) => kind === 2);
    return found.length === 3 ? found : undefined;
  });
  const reasons = roots.map(({ attributes }) => [
    attributes["gateway.client.dialect"],
    attributes["gen_ai.response.finish_reasons"],
  ]);
  expect(Object.fromEntries(reasons)).toEqual({
    "openai-chat": ["stop"],
    anthropic: ["end_turn"],
    "openai-responses": ["completed"],
  });
});

it("a provider receives the trace's context only if the operator allows it", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const provider = createServer((request, response) => {
    seen.push(request.headers);
    request.resume();
    response.writeHead(200, { "content-type": "application/json" });
    const message = { role: "assistant", content: "hello" };
    response.end(
      JSON.stringify({
        id: "a",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
  closing.push(async () => {
    provider.closeAllConnections();
    provider.close();
  });
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  for (const { gateway, collector, ask } of [usual, open]) {
    await gateway.addChannel({ type: 8, name: "own", base_url, models: ["demo-own"] });
    await gateway.addPrice("demo-own").catch(() => undefined);
    expect((await ask({ model: "demo-own" }, traced)).status).toBe(200);
    const attempt = await waitFor(() => collector.spans.find(({ kind }) => kind === 3));
    const headers = seen.at(-1);
    const sent = gateway === open.gateway;
    expect(headers?.["traceparent"]).toBe(sent ? `00-${traceId}-${attempt.spanId}-01` : undefined);
    expect(headers?.["tracestate"]).toBe(sent ? "acme=value" : undefined);
  }
});

it("the beginnings of prompt and response are recorded only if the operator wants that", async () => {
  const { collector, ask } = open;
  const answer = await ask({ messages: [{ role: "user", content: `a-question ${"x".repeat(20_000)}` }] });
  await answer.text();
  const { attributes } = await waitFor(() => collector.spans.find(({ kind }) => kind === 2));
  expect(attributes["gateway.request.body"]).toContain("a-question");
  expect(attributes["gateway.request.body"]).toHaveLength(4_096);
  expect(attributes["gateway.response.body"]).toContain('"choices"');
});

it("the metrics of /metrics arrive with the same names and labels", async () => {
  const { collector, ask } = usual;
  await (await ask()).text();
  const duration = await waitFor(() => collector.metrics.get("gateway_call_duration_seconds"));
  expect(duration).toMatchObject({ kind: "histogram", unit: "s" });
  const endpoint = "/v1/chat/completions";
  const point = duration.points.find(({ attributes }) => attributes["model"] === "demo-chat");
  expect(point?.attributes).toEqual({ endpoint, model: "demo-chat" });
  expect(point?.count).toBeGreaterThan(0);
  expect(point?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(point?.count);
  expect(point?.bucketCounts).toHaveLength(16);
  const calls = collector.metrics.get("gateway_calls_total");
  expect(calls?.kind).toBe("sum");
  const served = calls?.points.find(({ attributes }) => attributes["status"] === "200");
  expect(served?.attributes).toEqual({ endpoint, status: "200" });
  expect(served?.value).toBeGreaterThan(0);
  expect(collector.metrics.get("gateway_ledger_queue")).toMatchObject({ kind: "gauge" });
  expect(collector.metrics.get("gateway_telemetry_exports_total")).toBeDefined();
});

it("a collector that refuses everything is named once, and calls are unaffected", async () => {
  const { gateway, collector, ask } = usual;
  const problems = async () =>
    ((await (await fetch(`${gateway.url}/api/ready`)).json()) as { problems?: string[] }).problems;
  expect(await problems()).toBeUndefined();
  collector.mode = "refuse";
  expect((await ask()).status).toBe(200);
  await expect.poll(problems, { timeout: 15_000 }).toEqual(["telemetry_not_accepted"]);
  expect((await ask()).status).toBe(200);
  collector.mode = "accept";
  await expect.poll(problems, { timeout: 15_000 }).toBeUndefined();
});

it("a collector that never answers delays neither calls nor the end of the node", async () => {
  // It is stopped after the last test.
  const { gateway, collector, ask } = open;
  collector.mode = "hang";
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  await expect.poll(() => collector.requests.length, { timeout: 15_000 }).toBeGreaterThan(0);
  expect(await gateway.drift()).toBe(0n);
});

it("without a protocol, everything is sent as protobuf; a signal that is switched off is not", async () => {
  const { collector, ask, stop } = await start({
    OTEL_EXPORTER_OTLP_PROTOCOL: "",
    OTEL_LOGS_EXPORTER: "none",
    ACCESS_LOG: "1",
  });
  closing.push(stop);
  await (await ask()).text();
  await waitFor(() => collector.requests.find(({ path }) => path === "/v1/traces"));
  await waitFor(() => collector.requests.find(({ path }) => path === "/v1/metrics"));
  expect(collector.requests.every(({ type }) => type === "application/x-protobuf")).toBe(true);
  expect(collector.requests.some(({ path }) => path === "/v1/logs")).toBe(false);
});
