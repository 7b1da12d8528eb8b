import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChannelTestResult } from "@gateway/shared/channels/channel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A provider whose messages contain the key, internal addresses and account names. */
const key = "sk-live-4f9a8b7c6d5e4f3a2b1c";
const output = `Field "x" is wrong (key ${key}, sent to http://10.1.2.3:8000 for org-AbCdEf123456).`;
const secrets = [key, "4f9a8b7c", "10.1.2.3", "AbCdEf123456"];

let gateway: TestGateway;
let server: Server;
let channelId: number;
let token: string;
let answer: { status: number; type: string; body: string };

beforeAll(async () => {
  gateway = await startTestGateway();
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const models = ["demo-chat", "demo-embed", "demo-image", "demo-tts"];
  for (const model of models.slice(1)) await gateway.addPrice(model).catch(() => undefined);
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ({ id: channelId } = await gateway.addChannel({ type: 1, name: "quotes", base_url, key, models }));
  ({ key: token } = await gateway.addToken());
});
afterAll(async () => {
  await gateway.stop();
  server.close();
});

async function post(path: string, body: object, bearer = token): Promise<string> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "x-api-key": bearer, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.text();
}

const chat = { model: "demo-chat", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] };
const calls: [string, string, object][] = [
  ["chat", "/v1/chat/completions", chat],
  ["a chat stream", "/v1/chat/completions", { ...chat, stream: true }],
  ["messages", "/v1/messages", chat],
  ["responses", "/v1/responses", { model: "demo-chat", input: "Hello" }],
  ["a stream of responses", "/v1/responses", { model: "demo-chat", input: "Hello", stream: true }],
  ["background responses", "/v1/responses", { model: "demo-chat", input: "Hello", background: true }],
  ["gemini", "/v1beta/models/demo-chat:generateContent", { contents: [{ parts: [{ text: "Hello" }] }] }],
  ["completions", "/v1/completions", { model: "demo-chat", prompt: "Hello" }],
  ["embeddings", "/v1/embeddings", { model: "demo-embed", input: "Hello" }],
  ["images", "/v1/images/generations", { model: "demo-image", prompt: "Hello" }],
  ["speech", "/v1/audio/speech", { model: "demo-tts", input: "Hello", voice: "alloy" }],
];

function expectClean(text: string): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}

describe("an error of a provider", () => {
  it.each(calls)("of %s keeps its message without the channel's secrets", async (_name, path, body) => {
    for (const status of [400, 422]) {
      const error = { message: output, type: "invalid_request_error", code: "bad" };
      answer = { status, type: "application/json", body: JSON.stringify({ error }) };
      const text = await post(path, body);
      expectClean(text);
      expect(text).toContain("is wrong");
    }
  });

  it.each(calls)("inside a response of %s contains no secrets either", async (_name, path, body) => {
    const events = [
      { type: "error", error: { type: "invalid_request_error", message: output } },
      {
        type: "response.failed",
        response: { id: "resp_1", status: "failed", error: { code: "x", message: output } },
      },
      { error: { message: output, type: "invalid_request_error" } },
    ];
    for (const event of events) {
      for (const type of ["application/json", "text/event-stream"]) {
        const text = JSON.stringify(event);
        answer = {
          status: 200,
          type,
          body: type === "text/event-stream" ? `event: error\ndata: ${text}\n\n` : text,
        };
        expectClean(await post(path, body));
      }
    }
    const failed = {
      id: "resp_2",
      object: "response",
      status: "failed",
      error: { code: "x", message: output },
    };
    answer = { status: 200, type: "application/json", body: JSON.stringify({ ...failed, output: [] }) };
    expectClean(await post(path, body));
  });

  it("passed through to an administrator contains no secrets either, nor do logs and test results", async () => {
    const error = { message: output, type: "invalid_request_error" };
    answer = { status: 400, type: "application/json", body: JSON.stringify({ error }) };
    const text = await post("/v1/files", { purpose: "x" }, `${token}#${channelId}`);
    expectClean(text);
    expect(text).toContain("is wrong");
    const tested = await gateway.api<ChannelTestResult>("POST", `/channel/${channelId}/test`, {
      model: "demo-chat",
    });
    expect(tested.message).toContain("is wrong");
    const logs = JSON.stringify([tested, await gateway.logs(20)]);
    expect(logs).not.toContain("4f9a8b7c");
  });
});
