import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatResponse, DialectId } from "#dialects/ir.ts";
import { eventsOf } from "./answer-events.ts";
import { createCollector } from "./collected-answer.ts";

const files: Record<string, string> = import.meta.glob("../*/fixtures/*.json", {
  query: "?raw",
  import: "default",
  eager: true,
});
const answers = Object.entries(files)
  .filter(([path]) => !/\.(request|error|array)\.json$/.test(path))
  .map(([path, text]) => {
    const [, id] = path.split("/") as [string, DialectId];
    return [path, dialects[id].decodeResponse(JSON.parse(text))] as const;
  });

function collected(events: ChatEvent[]) {
  const collector = createCollector();
  for (const event of events) collector.add(event);
  return collector.answer;
}

/** Removes empty texts, which a stream cannot contain. */
function withoutEmpty(answer: ChatResponse): ChatResponse {
  const choices = answer.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.filter((part) => part.type !== "text" || part.text !== ""),
  }));
  return { ...answer, choices };
}

describe("a response converted to events and collected again", () => {
  it.each(answers)("is the same response: %s", (_path, answer) => {
    expect(collected(eventsOf(answer))).toEqual(withoutEmpty(answer));
  });

  it("keeps several choices, their proofs with the origin, and log probabilities", () => {
    const logprobs = { content: [{ token: "a", logprob: -1, bytes: [97], top_logprobs: [] }] };
    const answer: ChatResponse = {
      id: "1",
      model: "m",
      created: 5,
      choices: [
        {
          index: 0,
          parts: [
            {
              type: "reasoning",
              text: "Hm.",
              signature: "c2ln",
              encrypted: "ZW5j",
              id: "rs_1",
              origin: "azure",
            },
            { type: "reasoning", text: "", encrypted: "ZW5j" },
            { type: "text", text: "a", citations: [{ url: "https://example.com" }] },
            { type: "tool-call", id: "c", name: "f", input: "{}", signature: "c2ln", origin: "google" },
          ],
          finish: "tool-calls",
          finishRaw: "tool_calls",
          logprobs,
        },
        { index: 1, parts: [{ type: "refusal", text: "No." }], finish: "refusal" },
      ],
      usage: { input: 3, output: 2 },
      serviceTier: "flex",
    };
    expect(collected(eventsOf(answer))).toEqual(answer);
  });
});

describe("a stream collected into one response", () => {
  it("joins sound pieces by their bytes, and log probabilities by their lists", () => {
    const sound = (data: string, transcript?: string): ChatEvent => ({
      type: "media",
      choice: 0,
      part: 1,
      media: { type: "audio", source: { type: "data", mediaType: "audio/pcm", data }, transcript },
    });
    const chance = (token: string) => ({ content: [{ token }] });
    const answer = collected([
      { type: "start", id: "1", model: "m" },
      { type: "text", choice: 0, part: 0, text: "a", logprobs: chance("a") },
      { type: "text", choice: 0, part: 0, text: "b", logprobs: chance("b") },
      sound(Buffer.from("a").toString("base64"), "Ah"),
      sound(Buffer.from("bc").toString("base64"), "oy"),
      { type: "finish" },
    ]);
    expect(answer).toMatchObject({
      choices: [
        {
          parts: [
            { type: "text", text: "ab" },
            { type: "audio", source: { data: Buffer.from("abc").toString("base64") }, transcript: "Ahoy" },
          ],
          logprobs: { content: [{ token: "a" }, { token: "b" }] },
        },
      ],
    });
  });

  it("has no response before its end, and an error when it ends in one", () => {
    expect(collected([{ type: "start", id: "1", model: "m" }])).toBeUndefined();
    const error = { kind: "server" as const, message: "No.", status: 0 };
    expect(collected([{ type: "error", error }])).toEqual({ error });
  });
});
