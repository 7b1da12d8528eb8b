/** How each dialect says that a response is not complete, or was refused. */
import { describe, expect, it } from "vitest";
import { dialects } from "./index.ts";
import type { ChatEvent, ChatRequest, ChatResponse, DialectId } from "./ir.ts";

const request: ChatRequest = { model: "m", stream: false, messages: [] };
const clients = Object.keys(dialects) as DialectId[];

const paused: ChatResponse = {
  id: "1",
  model: "m",
  choices: [{ index: 0, parts: [{ type: "text", text: "Let me search" }], finish: "pause" }],
};
const complete = /"(?:stop|end_turn|completed|STOP)"/;

describe.each(clients)("a paused turn for a client of %s", (client) => {
  it("is not called complete", () => {
    const text = JSON.stringify(dialects[client].encodeResponse(paused, request));
    expect(text).not.toMatch(
      client === "openai-responses" ? /"status":"completed","completed_at"|"reason":null/ : complete,
    );
    if (client === "openai-responses")
      expect(text).toContain('"incomplete_details":{"reason":"max_output_tokens"}');
  });

  it("is not called complete in a stream", () => {
    const encode = dialects[client].encodeStream({ ...request, stream: true });
    const events: ChatEvent[] = [
      { type: "start", id: "1", model: "m" },
      { type: "text", choice: 0, part: 0, text: "Let me search" },
      { type: "stop", choice: 0, reason: "pause" },
      { type: "finish" },
    ];
    const text = events.map((event) => encode(event).text).join("");
    expect(text).not.toMatch(client === "openai-responses" ? /event: response\.completed/ : complete);
  });
});

const chat = dialects["openai-chat"];

describe("a refusal of a provider of Chat", () => {
  const choice = {
    index: 0,
    finish_reason: "stop",
    message: { role: "assistant", content: null, refusal: "No." },
  };

  it("ends like one of Responses for a client of Messages", () => {
    const answer = chat.decodeResponse({ id: "1", choices: [choice] });
    expect(dialects.anthropic.encodeResponse(answer, request)["stop_reason"]).toBe("refusal");
    expect(chat.encodeResponse(answer, request)["choices"]).toMatchObject([{ finish_reason: "stop" }]);
  });

  it("does so in a stream", () => {
    const decoder = chat.decodeStream();
    const frames = [
      { id: "1", choices: [{ index: 0, delta: { role: "assistant", refusal: "No." } }] },
      { id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ];
    const events = frames.flatMap((frame) =>
      decoder.frame({ event: undefined, data: JSON.stringify(frame) }),
    );
    expect([...events, ...decoder.end()]).toContainEqual(
      expect.objectContaining({ type: "stop", reason: "refusal" }),
    );
  });
});

describe("a prompt that Gemini blocked, with metadata and without counts", () => {
  const blocked = {
    promptFeedback: { blockReason: "MODEL_ARMOR" },
    usageMetadata: { trafficType: "ON_DEMAND" },
  };

  it("used nothing", () => {
    const answer = dialects.gemini.decodeResponse(blocked);
    expect(answer.usage).toMatchObject({ input: 0, output: 0 });
    expect(chat.encodeResponse(answer, request)["usage"]).toMatchObject({
      prompt_tokens: 0,
      completion_tokens: 0,
    });
  });

  it("used nothing in a stream", () => {
    const decoder = dialects.gemini.decodeStream();
    const events = decoder.frame({ event: undefined, data: JSON.stringify(blocked) });
    const finish = [...events, ...decoder.end()].find((event) => event.type === "finish");
    expect(finish).toMatchObject({ usage: { input: 0, output: 0 } });
  });
});
