import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";

/** Google's own library keeps each chunk of a stream as a content of its own and sends them all back. */
const user = (text: string) => ({ role: "user", parts: [{ text }] });
const model = (...parts: object[]) => ({ role: "model", parts });

function decode(...contents: object[]) {
  return dialects.gemini.decodeRequest({ contents }, { model: "some-model", stream: false }).messages;
}

describe("a turn that comes back chunk by chunk", () => {
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

  it("is one message with whole parts, whose thought keeps its proof", () => {
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

  it("can be said to every other provider", () => {
    const request = dialects.gemini.decodeRequest(
      { contents: [user("Hi"), ...turn, user("And?")] },
      { model: "some-model", stream: false },
    );
    const { body } = dialects.anthropic.encodeRequest(request);
    const [, assistant] = body["messages"] as { content: object[] }[];
    expect(assistant?.content[0]).toEqual({ type: "thinking", thinking: "Two cities.", signature: "c2ln" });
  });

  it("ends a thought with its proof: the next one stands alone", () => {
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
    // A signature behind plain words, or behind a thought that has one, stands alone.
    expect(decode(user("Hi"), model({ text: "Hello." }, signed))[1]?.parts).toEqual([
      { type: "text", text: "Hello." },
      { type: "reasoning", text: "", signature: "c2ln" },
    ]);
    expect(decode(user("Hi"), model({ ...thought, thoughtSignature: "b25l" }, signed))[1]?.parts).toEqual([
      { type: "reasoning", text: "Two cities.", signature: "b25l" },
      { type: "reasoning", text: "", signature: "c2ln" },
    ]);
  });

  it("leaves what several people say apart", () => {
    expect(decode(user("one"), user("two"), model({ text: "three" }), user("four"))).toHaveLength(4);
  });
});
