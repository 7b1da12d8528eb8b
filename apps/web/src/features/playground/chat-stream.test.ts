import { describe, expect, it } from "vitest";
import { ChatError, readChunk, splitEvents } from "./chat-stream.ts";

describe("reading a streamed answer", () => {
  it("keeps an unfinished event for the next bytes", () => {
    const first = splitEvents('data: {"a":1}\n\ndata: {"b"');
    expect(first).toEqual({ data: ['{"a":1}'], rest: 'data: {"b"' });
    expect(splitEvents(`${first.rest}:2}\n\n`).data).toEqual(['{"b":2}']);
  });

  it("skips heartbeat comments", () => {
    expect(splitEvents(": still thinking\n\ndata: [DONE]\n\n").data).toEqual(["[DONE]"]);
  });

  it("tells text, reasoning and usage apart", () => {
    const data = JSON.stringify({
      choices: [{ delta: { content: "Hi", reasoning_content: "Hm" } }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    expect(readChunk(data, "id")).toEqual([
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Hi" },
      { type: "usage", usage: { input: 3, output: 4 } },
    ]);
  });

  it("turns an error in the stream into a failure with the request's id", () => {
    const failing = () => readChunk('{"error":{"message":"broke"}}', "req-1");
    expect(failing).toThrow(ChatError);
    expect(failing).toThrow("broke");
  });
});
