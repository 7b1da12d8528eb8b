import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, Part } from "#dialects/ir.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { startTestGateway, type TestGateway } from "../gateway.ts";

/** Requests recorded from real command-line agents. Each is sent to every kind of upstream. */
interface Recorded {
  note: string;
  expects: "tool" | "text" | "json";
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

interface Fixture {
  agent: string;
  version: string;
  requests: Recorded[];
}

const folder = new URL("./fixtures/", import.meta.url);
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Fixture);

const upstreams = { chat: 8, anthropic: 14, gemini: 25, native: 900 };
const cases = fixtures.flatMap(({ agent, version, requests }) =>
  requests.flatMap((request) =>
    Object.keys(upstreams).map((upstream) => ({ agent: `${agent} ${version}`, upstream, request })),
  ),
);

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [name, type] of Object.entries(upstreams))
    await gateway.addChannel({
      type,
      name,
      models: [name],
      model_mapping: { [name]: "demo-chat" },
    });
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());

function dialectOf(path: string): Dialect {
  if (path.startsWith("/v1/messages")) return dialects.anthropic;
  return path.startsWith("/v1/responses") ? dialects["openai-responses"] : dialects.gemini;
}

async function send(request: Recorded, model: string): Promise<Response> {
  const path = request.path.replace(/models\/[^:]+:/, `models/${model}:`);
  const body = "model" in request.body ? { ...request.body, model } : request.body;
  return fetch(gateway.url + path, {
    method: request.method,
    headers: { ...request.headers, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
}

interface Output {
  text: string;
  calls: Array<{ name: string; input: string }>;
}

function outputIn(parts: Part[]): Output {
  return {
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: parts.flatMap((part) =>
      part.type === "tool-call" ? [{ name: part.name, input: part.input }] : [],
    ),
  };
}

function outputBy(events: ChatEvent[]): Output {
  const calls = new Map<number, { name: string; input: string }>();
  let text = "";
  for (const event of events) {
    if (event.type === "text") text += event.text;
    if (event.type === "tool-call") calls.set(event.part, { name: event.name, input: "" });
    if (event.type === "tool-input") calls.get(event.part)!.input += event.text;
  }
  return { text, calls: [...calls.values()] };
}

function readStream(dialect: Dialect, bytes: Uint8Array): Output {
  const splitter = createFrameSplitter();
  const decoder = dialect.decodeStream();
  const frames = [...splitter.push(bytes), ...splitter.flush()];
  const events = [...frames.flatMap(({ frame }) => decoder.frame(frame)), ...decoder.end()];
  expect(events[0]?.type).toBe("start");
  expect(events.at(-1)?.type).toBe("finish");
  const text = Buffer.from(bytes).toString("utf8");
  if (dialect.id === "openai-responses") {
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_number, index) => index));
    return { ...outputBy(events), calls: callItems(text) };
  }
  return outputBy(events);
}

/**
 * Returns the calls as the agent sees them. Plain-text tools and groups are the agent's own; other dialects
 * lack them.
 */
function callItems(text: string): Output["calls"] {
  const last = text
    .trimEnd()
    .split("\n")
    .findLast((line) => line.startsWith("data: {"));
  const { response } = JSON.parse(last!.slice(6)) as { response: { output: Record<string, string>[] } };
  return response.output.flatMap((item) => {
    const { type, namespace = "", name = "", arguments: json, input } = item;
    if (type === "function_call") return [{ name: `${namespace}.${name}`, input: json! }];
    return type === "custom_tool_call"
      ? [{ name: `${namespace}.${name}`, input: JSON.stringify(input) }]
      : [];
  });
}

/** Returns every name of a tool in the agent's request, prefixed with its group. */
function offered(tools: unknown, group = ""): string[] {
  const names: string[] = [];
  for (const tool of Array.isArray(tools) ? (tools as Record<string, unknown>[]) : []) {
    if (typeof tool["name"] === "string") names.push(group + tool["name"]);
    names.push(
      ...offered(tool["functionDeclarations"]),
      ...offered(tool["tools"], `${String(tool["name"])}.`),
    );
  }
  return names;
}

function toolsOf(request: Recorded, dialect: Dialect): string[] {
  const input = Array.isArray(request.body["input"]) ? (request.body["input"] as { tools?: unknown }[]) : [];
  const names = [...offered(request.body["tools"]), ...input.flatMap((item) => offered(item.tools))];
  return dialect.id === "openai-responses"
    ? names.map((name) => (name.includes(".") ? name : `.${name}`))
    : names;
}

describe.each(cases)("$agent at an upstream of $upstream", ({ upstream, request }) => {
  const dialect = dialectOf(request.path);

  it(`is served: ${request.note}`, async () => {
    const answer = await send(request, upstream);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const text = Buffer.from(bytes).toString("utf8");
    expect(answer.status, text).toBe(200);
    const output = answer.headers.get("content-type")?.includes("event-stream")
      ? readStream(dialect, bytes)
      : outputIn(dialect.decodeResponse(JSON.parse(text)).choices[0]!.parts);
    if (request.expects === "tool") {
      expect(output.calls.length).toBeGreaterThan(0);
      for (const call of output.calls) {
        expect(toolsOf(request, dialect)).toContain(call.name);
        expect(JSON.parse(call.input)).toBeTruthy();
      }
    }
    if (request.expects === "text") expect(output.text).toContain("Here is what the tool answered");
    if (request.expects === "json") expect(JSON.parse(output.text)).toHaveProperty("complexity_score");
  });
});

describe("after all calls", () => {
  it("every call is charged and the ledger is consistent", async () => {
    const rows = await gateway.logs(cases.length);
    expect(rows).toHaveLength(cases.length);
    expect(rows.every((row) => row.outcome === "complete" && row.quota > 0)).toBe(true);
    expect(await gateway.drift()).toBe(0n);
  });
});
