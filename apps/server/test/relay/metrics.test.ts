import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway, testAccessToken } from "#test/gateway.ts";

let gateway: TestGateway;
let key = "";

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "first", models: ["demo-chat", "demo-*"] });
  key = (await gateway.addToken({ unlimited_quota: true })).key;
});

afterAll(() => gateway.stop());

async function read(): Promise<string> {
  const answer = await fetch(`${gateway.url}/metrics`, { headers: { authorization: testAccessToken } });
  expect(answer.status).toBe(200);
  return answer.text();
}

const ask = (model: string, authorization = `Bearer ${key}`) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });

it("calls, tokens and errors are counted, and only configured models are labels", async () => {
  expect((await ask("demo-chat")).status).toBe(200);
  expect((await ask("demo-invented-by-a-client")).status).toBe(200);
  expect((await ask("demo-chat", "Bearer sk-wrong")).status).toBe(401);
  expect((await ask("unknown-model")).status).toBe(404);
  const text = await read();
  const endpoint = 'endpoint="/v1/chat/completions"';
  expect(text).toContain(`gateway_calls_total{${endpoint},status="200"} 2`);
  expect(text).toContain('gateway_call_outcomes_total{outcome="complete",error_code=""} 2');
  expect(text).toContain('gateway_call_outcomes_total{outcome="failed",error_code="model_not_found"} 1');
  expect(text).toContain(`gateway_call_duration_seconds_count{${endpoint},model="demo-chat"} 1`);
  expect(text).toMatch(/gateway_tokens_total{direction="output",model="other"} [1-9]/);
  expect(text).toMatch(/gateway_points_total{model="demo-chat"} [1-9]/);
  expect(text).toMatch(/gateway_error_responses_total{code="invalid_api_key",reason="\w+"} 1/);
  expect(text).toMatch(/gateway_upstream_attempt_seconds_count{provider="[\w-]+"} 2/);
  expect(text).not.toContain("invented");
});

it("the state of the node is in the metrics", async () => {
  const text = await read();
  for (const line of [
    'gateway_channels{status="enabled"} 1',
    'gateway_postgres_connections_limit{pool="main"} 10',
    'gateway_postgres_waiting{pool="jobs"} 0',
    "gateway_ledger_queue 0",
    "gateway_ledger_failing_seconds 0",
    "gateway_open_calls 0",
  ])
    expect(text).toContain(line);
  expect(text).toMatch(/gateway_build_info{version="[\d.]+"} 1/);
  expect(text).toMatch(/gateway_client_connections [1-9]/);
  expect(text).toMatch(/gateway_upstream_connections{state="open"} [1-9]/);
});

it("a paused channel is in the metrics", async () => {
  await gateway.addChannel({ type: 8, name: "refusing", key: "demo-fail-500", models: ["demo-refused"] });
  expect((await ask("demo-refused")).status).toBeGreaterThanOrEqual(500);
  expect(await read()).toMatch(/gateway_channel_pauses{channel_id="\d+",reason="server"} 1/);
});

it("a metric's name ends in _total exactly if it is a counter, and each has a help text", async () => {
  const text = await read();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type]) => ({ name, type }));
  expect(types.length).toBeGreaterThan(40);
  for (const { name, type } of types) {
    expect(`${name} ${type === "counter"}`).toBe(`${name} ${name.endsWith("_total")}`);
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, "m"));
  }
});
