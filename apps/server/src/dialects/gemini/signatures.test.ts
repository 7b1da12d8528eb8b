import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatRequest } from "#dialects/ir.ts";

/** The provider's proof of a call, passed through clients that have no field for it on a call. */
const { gemini, anthropic, "openai-responses": responses } = dialects;

const model = "gemini-3.8-flash";
const answer = {
  responseId: "r",
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          { text: "Hm.", thought: true },
          { functionCall: { name: "look", args: {} }, thoughtSignature: "cHJvb2Y=" },
          { functionCall: { name: "look", args: { a: 1 } } },
        ],
      },
      finishReason: "STOP",
    },
  ],
};
const ask: ChatRequest = { model, stream: false, messages: [] };
const signatures = (body: Wire) =>
  (body["contents"] as { parts: Wire[] }[])[1]?.parts
    .filter((part) => "functionCall" in part)
    .map((part) => part["thoughtSignature"]);

function streamedBlocks(): Wire[] {
  const decoder = gemini.decodeStream();
  const events: ChatEvent[] = [
    ...decoder.frame({ event: undefined, data: JSON.stringify(answer) }),
    ...decoder.end(),
  ];
  const encode = anthropic.encodeStream({ ...ask, stream: true });
  const text = events.map((event) => encode(event).text).join("");
  const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Wire);
  const blocks: Wire[] = [];
  for (const frame of frames) {
    const delta = frame["delta"] as Wire | undefined;
    if (frame["type"] === "content_block_start") blocks.push(frame["content_block"] as Wire);
    if (delta?.["type"] === "signature_delta") blocks.at(-1)!["signature"] = delta["signature"];
  }
  return blocks;
}

describe("the proof of a call", () => {
  const user = { role: "user", content: "Look." };

  it.each([
    ["whole", () => anthropic.encodeResponse(gemini.decodeResponse(answer), ask)["content"]],
    ["streamed", streamedBlocks],
  ])("is sent back through an Anthropic client that received it %s", (_form, content) => {
    const body = { model, max_tokens: 9, messages: [user, { role: "assistant", content: content() }] };
    const back = gemini.encodeRequest(anthropic.decodeRequest(body, {})).body;
    expect(signatures(back)).toEqual(["cHJvb2Y=", undefined]);
  });

  it("is sent back through a Responses client", () => {
    const output = responses.encodeResponse(gemini.decodeResponse(answer), ask)["output"] as Wire[];
    const body = { model, input: [user, ...output] };
    expect(signatures(gemini.encodeRequest(responses.decodeRequest(body, {})).body)).toEqual([
      "cHJvb2Y=",
      undefined,
    ]);
  });

  it("is replaced by the provider's value for a lost proof, where one is required", () => {
    const content = [{ type: "tool_use", id: "c", name: "look", input: {} }];
    const requested = (name: string) =>
      gemini.encodeRequest(
        anthropic.decodeRequest(
          { model: name, max_tokens: 9, messages: [user, { role: "assistant", content }] },
          {},
        ),
      ).body;
    expect(signatures(requested(model))).toEqual(["skip_thought_signature_validator"]);
    expect(signatures(requested("gemini-2.5-pro"))).toEqual([undefined]);
  });
});

describe("the proof of a text", () => {
  it("never follows the text, where clients take the last block for the response", () => {
    const parts = [{ text: "Hello" }, { text: "", thoughtSignature: "cHJvb2Y=" }];
    const output = { ...answer, candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] };
    const { content } = anthropic.encodeResponse(gemini.decodeResponse(output), ask) as { content: Wire[] };
    expect(content.map((block) => block["type"])).toEqual(["text"]);
  });
});
