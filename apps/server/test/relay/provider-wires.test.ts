import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventMessage } from "#providers/wires/event-stream.fixture.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Every client format with providers whose own format no client uses, streamed and not, and the cost. */
let upstream: Server;
let gateway: TestGateway;
let key: string;
let requested: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let rows = 0;
let refusing: { status: number; headers: Record<string, string>; body: string } | undefined;

const event = (name: string, payload: object) =>
  eventMessage({ ":event-type": name, ":message-type": "event" }, JSON.stringify(payload));
const usage = { inputTokens: 30, outputTokens: 12, totalTokens: 42 };
const frame = (name: string, data: object) => `event:${name}\ndata:${JSON.stringify(data)}\n\n`;
const output = (content: string) =>
  frame("conversation.message.delta", { type: "answer", role: "assistant", content, content_type: "text" });

/** Responses of each provider, by request path. */
const answers: [path: RegExp, type: string, chunks: (string | Buffer)[]][] = [
  [
    /\/converse$/,
    "application/json",
    [
      JSON.stringify({
        output: { message: { role: "assistant", content: [{ text: "Grüß Gott" }] } },
        stopReason: "end_turn",
        usage,
      }),
    ],
  ],
  [
    /\/converse-stream$/,
    "application/vnd.amazon.eventstream",
    [
      event("messageStart", { role: "assistant" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Grüß" } }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: " Gott" } }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("messageStop", { stopReason: "end_turn" }),
      event("metadata", { usage }),
    ],
  ],
  [
    /\/v3\/chat$/,
    "text/event-stream",
    [
      frame("conversation.chat.created", { id: "c1", created_at: 1_718_792_949 }),
      output("Grüß"),
      output(" Gott"),
      frame("conversation.chat.completed", { id: "c1", usage: { input_count: 30, output_count: 12 } }),
      'event:done\ndata:"[DONE]"\n\n',
    ],
  ],
  [
    /\/v1\/predictions$/,
    "application/json",
    [
      '{"id":"p1","model":"meta/llama","status":"succeeded","output":["Grüß"," Gott"],',
      '"metrics":{"input_token_count":30,"output_token_count":12}}',
    ],
  ],
];

beforeAll(async () => {
  upstream = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const path = request.url ?? "";
      requested.push({ path, headers: request.headers, body });
      if (refusing !== undefined) {
        response.writeHead(refusing.status, { "content-type": "application/json", ...refusing.headers });
        response.end(refusing.body);
        return;
      }
      const [, type, chunks] = answers.find(([at]) => at.test(path)) ?? [/./, "text/plain", ["no"]];
      response.writeHead(200, { "content-type": type });
      for (const chunk of chunks) response.write(chunk);
      response.end();
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  gateway = await startTestGateway();
  for (const [type, name, providerKey] of [
    [32, "us.amazon.nova-pro-v1:0", "us-east-1|AKID|secret"],
    [38, "coze-7379", "pat_1"],
    [52, "meta/llama", "r8_1"],
  ] as const) {
    await gateway.addChannel({ type, name, key: providerKey, base_url, models: [name] });
    await gateway.addPrice(name);
  }
  key = (await gateway.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  await new Promise((resolve) => upstream.close(resolve));
});

const hi = [{ role: "user", content: "Hi" }];
const clients: Record<string, (model: string, stream: boolean) => { path: string; body: object }> = {
  chat: (model, stream) => ({ path: "/v1/chat/completions", body: { model, stream, messages: hi } }),
  responses: (model, stream) => ({ path: "/v1/responses", body: { model, stream, input: "Hi" } }),
  anthropic: (model, stream) => ({
    path: "/v1/messages",
    body: { model, stream, max_tokens: 50, messages: hi },
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  }),
};

async function ask(client: string, model: string, stream: boolean) {
  requested = [];
  const { path, body } = clients[client]?.(model, stream) ?? { path: "/", body: {} };
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const providers = ["us.amazon.nova-pro-v1:0", "coze-7379"];
const pairs = [
  ...Object.keys(clients).flatMap((client) => providers.map((model) => [client, model] as const)),
  // A name with a slash is not valid in Gemini's paths.
  ...["chat", "responses", "anthropic"].map((client) => [client, "meta/llama"] as const),
];

describe.each(pairs)("a client of %s with %s", (client, model) => {
  it.each([false, true])("receives the whole response and is charged (stream: %s)", async (stream) => {
    const { status, text } = await ask(client, model, stream);
    expect(status, text).toBe(200);
    expect(text).toContain("Grüß");
    expect(text).toContain("Gott");
    expect(requested).toHaveLength(1);
    rows += 1;
    const [row] = await gateway.logs(rows);
    expect(row?.quota).toBeGreaterThan(0);
    expect(row).toMatchObject({
      model_name: model,
      prompt_tokens: 30,
      completion_tokens: 12,
      estimated: false,
      outcome: "complete",
      is_stream: stream,
    });
  });
});

describe("a provider with its own format", () => {
  it("that does not know the requested model does not disable the key", async () => {
    refusing = {
      status: 403,
      headers: { "x-amzn-errortype": "AccessDeniedException" },
      body: '{"message":"You do not have access to the model."}',
    };
    const { status, text } = await ask("chat", "us.amazon.nova-pro-v1:0", false);
    refusing = undefined;
    expect(status).toBe(404);
    expect(text).toContain("model_not_found");
    expect(text).not.toContain("You do not have access");
    expect(await gateway.drift()).toBe(0n);
  });
});
