import { describe, expect, it } from "vitest";
import type { AnswerRepair } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId } from "#dialects/ir.ts";
import { repairChat } from "#dialects/openai-chat/repair.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { bodyOf } from "#platform/http/response-body.ts";
import { readBody } from "./body.ts";

const request: ChatRequest = {
  model: "m",
  stream: false,
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
};

function read(
  client: DialectId,
  text: string,
  from: DialectId = "openai-chat",
  type = "application/json",
  repair?: AnswerRepair,
) {
  const response: UpstreamResponse = {
    status: 200,
    headers: { "content-type": type },
    ...bodyOf(async function* chunks() {
      yield await Promise.resolve(Buffer.from(text));
    }),
    cancel() {},
  };
  const upstream = dialects[from];
  return readBody({ client: dialects[client], request }, { response, upstream, repair });
}

describe("a response with status 200 that is an error", () => {
  // Passes unchanged to a client of the same dialect, and is translated for another.
  const clients: DialectId[] = ["openai-chat", "openai-responses"];

  it.each(clients)("returns the provider's error to a client of %s", async (client) => {
    const refused = {
      choices: null,
      usage: { total_tokens: 0, total_characters: 0 },
      base_resp: { status_code: 2061, status_msg: "your current token plan not support model" },
    };
    expect(await read(client, JSON.stringify(refused))).toMatchObject({
      error: { code: "2061", message: "your current token plan not support model" },
    });
  });

  it.each(clients)("returns an error for an empty response to a client of %s", async (client) => {
    expect(await read(client, '{"choices":[]}')).toMatchObject({
      error: { kind: "server", message: "The provider returned an empty response." },
    });
  });

  const answer =
    '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}';
  it.each([
    ["HTML", "<html></html>"],
    ["a response whose end is missing", answer],
  ])("returns an error for an unreadable response to every client: %s", async (_name, text) => {
    for (const client of clients)
      expect(await read(client, text, "openai-chat", "application/json", repairChat()), client).toMatchObject(
        {
          error: { kind: "server" },
        },
      );
  });
});

describe("a response without usage", () => {
  const ids: DialectId[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];
  const blocked = JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
  const refused = JSON.stringify({ candidates: [{ finishReason: "SAFETY" }] });
  const called = JSON.stringify({
    candidates: [{ content: { parts: [{ functionCall: { name: "look" } }] }, finishReason: "STOP" }],
  });
  const spoken = JSON.stringify({
    candidates: [
      { content: { parts: [{ inlineData: { mimeType: "audio/wav", data: "AA==" } }] }, finishReason: "STOP" },
    ],
  });

  it.each(ids)("accepts a refusal of the prompt for a client of %s, and charges nothing", async (client) => {
    for (const text of [blocked, refused]) {
      const answer = await read(client, text, "gemini");
      expect(answer).toMatchObject({ usage: { input: 0, output: 0 } });
      expect("body" in answer && answer.body).toMatch(/content_filter|"refusal"|blockReason|SAFETY/);
    }
  });

  it.each(ids)("accepts a call without arguments, and audio alone, for a client of %s", async (client) => {
    expect(await read(client, called, "gemini")).toMatchObject({ usage: undefined });
    expect(await read(client, spoken, "gemini")).not.toHaveProperty("error");
  });

  it.each(ids)("rejects an empty response for a client of %s", async (client) => {
    const text = JSON.stringify({ candidates: [{ content: { parts: [] }, finishReason: "STOP" }] });
    expect(await read(client, text, "gemini")).toHaveProperty("error");
  });

  it("returns an error for an unfinished tool call to clients whose dialect has no finish reason for it", async () => {
    const text = JSON.stringify({
      candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }],
      usageMetadata: { promptTokenCount: 5 },
    });
    for (const client of ids.slice(0, 3))
      expect(await read(client, text, "gemini")).toMatchObject({
        error: { message: expect.stringContaining("MALFORMED_FUNCTION_CALL") as string },
      });
    expect(await read("gemini", text, "gemini")).toMatchObject({ body: text });
  });
});

describe("a stream that was not requested", () => {
  it("is read whatever its content type", async () => {
    const chunk = { id: "c", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] };
    const text = `\n: comment\n\ndata: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    for (const type of ["application/json", "text/event-stream", "text/plain"]) {
      const answer = await read("openai-chat", text, "openai-chat", type);
      expect("body" in answer && JSON.parse(answer.body)).toMatchObject({
        choices: [{ message: { content: "Hi" }, finish_reason: "stop" }],
      });
    }
  });
});
