import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";

/**
 * Google's own client library stores each chunk of a stream as a separate content and sends all of them back.
 */
const user = (text: string) => ({ role: "user", parts: [{ text }] });
const model = (...parts: object[]) => ({ role: "model", parts });

function decode(...contents: object[]) {
  return dialects.gemini.decodeRequest({ contents }, { model: "some-model", stream: false }).messages;
}

describe("a turn that is sent back in chunks", () => {
  const turn = [
    model({ text: "Two ", thought: true }),
    model({ text: "cities.", thought: true }),
    model({ text: "", thought: true, thoughtSignature: "c2ln" }),
    model({ text: "Let " }),
    model({ text: "me look." }),
    model({ functionCall: { id: "a", name: "weather", args: { city: "Paris" } } }),
    model({ functionCall: { id: "b", name: "weather", args: { city: "Rome" } } }),
    model({ text: "" }),
    { role: "model" },
  ];

  it("becomes one message with complete parts, and its reasoning keeps its proof", () => {
    const result = {
      role: "user",
      parts: [{ functionResponse: { id: "a", name: "weather", response: {} } }],
    };
    const messages = decode(user("Where is it warm?"), ...turn, result);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(messages[1]?.parts).toEqual([
      { type: "reasoning", text: "Two cities.", signature: "c2ln" },
      { type: "text", text: "Let me look." },
      { type: "tool-call", id: "a", name: "weather", input: '{"city":"Paris"}' },
      { type: "tool-call", id: "b", name: "weather", input: '{"city":"Rome"}' },
    ]);
  });

  it("has one result per call when a resumed session sends a result twice", () => {
    const result = { functionResponse: { id: "a", name: "weather", response: { output: "Warm" } } };
    const messages = decode(user("Hi"), model({ functionCall: { id: "a", name: "weather" } }), {
      role: "user",
      parts: [result, result],
    });
    expect(messages.at(-1)?.parts).toHaveLength(1);
    const repeated = { contents: [{ role: "user", parts: [result, { text: "Go on." }, result] }] };
    expect(dialects.gemini.adjust(repeated, "some-model")).toEqual({
      contents: [{ role: "user", parts: [result, { text: "Go on." }] }],
    });
    // A later call may have the same id.
    const again = decode(
      user("Hi"),
      model({ functionCall: { id: "a", name: "weather" } }),
      { role: "user", parts: [result] },
      model({ functionCall: { id: "a", name: "weather" } }),
      { role: "user", parts: [result] },
    );
    expect(again.filter(({ role }) => role === "tool")).toHaveLength(2);
  });

  it("can be encoded for every other provider", () => {
    const request = dialects.gemini.decodeRequest(
      { contents: [user("Hi"), ...turn, user("And?")] },
      { model: "some-model", stream: false },
    );
    const { body } = dialects.anthropic.encodeRequest(request);
    const [, assistant] = body["messages"] as { content: object[] }[];
    expect(assistant?.content[0]).toEqual({ type: "thinking", thinking: "Two cities.", signature: "c2ln" });
  });

  it("ends a thought at its proof; the next thought is separate", () => {
    const proved = (text: string) => model({ text, thought: true, thoughtSignature: text });
    expect(decode(user("Hi"), proved("one"), proved("two"))[1]?.parts).toEqual([
      { type: "reasoning", text: "one", signature: "one" },
      { type: "reasoning", text: "two", signature: "two" },
    ]);
  });

  it("joins a thought and the signature that follows it in one content, as the AI SDK sends it", () => {
    const thought = { text: "Two cities.", thought: true };
    const signed = { text: "", thoughtSignature: "c2ln" };
    const call = { functionCall: { id: "a", name: "weather", args: {} } };
    expect(decode(user("Hi"), model(thought, signed, call))[1]?.parts).toEqual([
      { type: "reasoning", text: "Two cities.", signature: "c2ln" },
      { type: "tool-call", id: "a", name: "weather", input: "{}" },
    ]);
    // A signature after plain text, or after a thought that has one, stays separate.
    expect(decode(user("Hi"), model({ text: "Hello." }, signed))[1]?.parts).toEqual([
      { type: "text", text: "Hello." },
      { type: "reasoning", text: "", signature: "c2ln" },
    ]);
    expect(decode(user("Hi"), model({ ...thought, thoughtSignature: "b25l" }, signed))[1]?.parts).toEqual([
      { type: "reasoning", text: "Two cities.", signature: "b25l" },
      { type: "reasoning", text: "", signature: "c2ln" },
    ]);
  });

  it("keeps messages of different roles separate", () => {
    expect(decode(user("one"), user("two"), model({ text: "three" }), user("four"))).toHaveLength(4);
  });
});
