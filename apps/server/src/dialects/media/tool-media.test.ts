import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, Part } from "#dialects/ir.ts";

const { "openai-chat": chat, gemini } = dialects;

function answered(parts: Part[]): ChatRequest {
  return {
    model: "m",
    stream: false,
    messages: [
      { role: "user", parts: [{ type: "text", text: "Listen." }] },
      { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "hear", input: "{}" }] },
      { role: "tool", parts: [{ type: "tool-result", callId: "c", parts }] },
    ],
  };
}

const sound: Part = {
  type: "audio",
  source: { type: "data", mediaType: "audio/wav", data: "AA==" },
  format: "wav",
};
const paper: Part = {
  type: "file",
  source: { type: "data", mediaType: "application/pdf", data: "JVBERi0=" },
};
const elsewhere: Part = { type: "file", source: { type: "file", id: "file_anthropic" } };

describe("a tool that returns a sound or a file", () => {
  it("reaches chat models, after its result", () => {
    const { body, dropped } = chat.encodeRequest(answered([sound, paper]));
    expect(dropped).toEqual([]);
    expect((body["messages"] as unknown[]).slice(2)).toMatchObject([
      { role: "tool", tool_call_id: "c", content: expect.stringContaining("attached") },
      {
        role: "user",
        content: [{ type: "input_audio", input_audio: { data: "AA==", format: "wav" } }, { type: "file" }],
      },
    ]);
  });

  it("reaches Gemini, after its result", () => {
    const { body, dropped } = gemini.encodeRequest(answered([sound, paper]));
    expect(dropped).toEqual([]);
    expect((body["contents"] as { parts: unknown[] }[]).at(-1)?.parts).toMatchObject([
      { functionResponse: { name: "hear" } },
      { inlineData: { mimeType: "audio/wav", data: "AA==" } },
      { inlineData: { mimeType: "application/pdf" } },
    ]);
  });

  it("is reported as dropped where the provider does not accept it, and leaves no empty message", () => {
    for (const dialect of [chat, gemini]) {
      const { body, dropped } = dialect.encodeRequest(answered([{ type: "text", text: "Here." }, elsewhere]));
      expect(dropped).toEqual(["file"]);
      expect(JSON.stringify(body)).not.toContain("file_anthropic");
    }
    const { body } = chat.encodeRequest(answered([{ type: "text", text: "Here." }, elsewhere]));
    expect((body["messages"] as unknown[]).at(-1)).toEqual({
      role: "tool",
      tool_call_id: "c",
      content: "Here.",
    });
  });
});
