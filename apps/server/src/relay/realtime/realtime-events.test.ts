import { describe, expect, it } from "vitest";
import { readClientEvent, readServerEvent, realtimeUsage } from "./realtime-events.ts";

describe("realtimeUsage", () => {
  it("counts cached audio once", () => {
    const reported = {
      total_tokens: 821,
      input_tokens: 789,
      output_tokens: 32,
      input_token_details: {
        text_tokens: 313,
        audio_tokens: 476,
        cached_tokens: 640,
        cached_tokens_details: { text_tokens: 256, audio_tokens: 384 },
      },
      output_token_details: { text_tokens: 9, audio_tokens: 23 },
    };
    expect(realtimeUsage(reported)).toEqual({
      input: 789,
      output: 32,
      cacheRead: 640,
      audioInput: 92,
      audioOutput: 23,
      raw: reported,
    });
  });

  it("converts seconds to tokens, and returns undefined for invalid usage", () => {
    expect(realtimeUsage({ type: "duration", seconds: 1.25 })).toMatchObject({ input: 13, audioInput: 13 });
    for (const odd of [
      null,
      {},
      { input_tokens: -1, output_tokens: 2 },
      { input_tokens: "9", output_tokens: 1 },
    ])
      expect(realtimeUsage(odd)).toBeUndefined();
  });
});

describe("readServerEvent and readClientEvent", () => {
  it("accept the event names of both versions", () => {
    for (const type of ["response.audio.delta", "response.output_audio.delta"])
      expect(readServerEvent(JSON.stringify({ type, response_id: "r", delta: "AAAA" }))).toEqual({
        kind: "sound",
        id: "r",
        bytes: 3,
      });
    for (const type of ["response.text.delta", "response.output_audio_transcript.delta"])
      expect(readServerEvent(JSON.stringify({ type, response_id: "r", delta: "hi" }))).toMatchObject({
        kind: "text",
        text: "hi",
      });
  });

  it("read a session's facts in the format of each version", () => {
    const older = {
      max_response_output_tokens: 200,
      input_audio_format: "g711_ulaw",
      input_audio_transcription: { model: "w" },
    };
    const audio = { input: { format: { type: "audio/pcmu" }, transcription: { model: "w" } } };
    for (const session of [older, { max_output_tokens: 200, audio }])
      expect(readServerEvent(JSON.stringify({ type: "session.updated", session }))).toEqual({
        kind: "session",
        facts: { maxOutput: 200, inputBytesPerSecond: 8_000, outputBytesPerSecond: 48_000, transcriber: "w" },
      });
  });

  it('return the kind "other" for unknown events', () => {
    for (const text of [
      "",
      "not JSON",
      "[]",
      "null",
      '"response.create"',
      '{"type":7}',
      '{"type":"rate_limits.updated"}',
    ]) {
      expect(readServerEvent(text)).toEqual({ kind: "other" });
    }
    for (const event of [{}, { type: 7 }, { type: "input_audio_buffer.commit" }])
      expect(readClientEvent(event)).toEqual({ kind: "other" });
  });

  it("ignore event names nested in another event", () => {
    const event = { item: { type: "input_audio_buffer.append" }, type: "response.create" };
    expect(readClientEvent(event).kind).toBe("ask");
  });

  it("count audio and images by size, and everything else as text", () => {
    const content = [
      { type: "input_text", text: "Hello" },
      { type: "input_audio", audio: "AAAA" },
      { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(1_000)}` },
    ];
    const event = readClientEvent({ type: "conversation.item.create", item: { content } });
    expect(event).toMatchObject({ kind: "heard", input: { bytes: 3, images: 1 } });
    const text = event.kind === "heard" ? event.input.text : "";
    expect(text).toContain("Hello");
    expect(text).not.toContain("AAAA");
  });
});
