import type { ErrorCode } from "@gateway/shared/errors";
import { describe, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId, Part } from "#dialects/ir.ts";
import { GatewayError } from "#errors.ts";
import { expectTable } from "./generated-table.ts";

/** docs/dialects.md matches the code: this test generates its tables. */
const ids = Object.keys(dialects) as DialectId[];

const output = (part: Part): Partial<ChatRequest> => ({
  messages: [{ role: "user", parts: [{ type: "text", text: "Look." }, part] }],
});
const image = { mediaType: "image/png", data: "iVBORw0KGgo=" };
const resulting = (
  result: Pick<Extract<Part, { type: "tool-result" }>, "parts" | "isError">,
): Partial<ChatRequest> => ({
  messages: [
    { role: "user", parts: [{ type: "text", text: "Look." }] },
    { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "look", input: "{}" }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "c", ...result }] },
  ],
});
const look = { name: "look", schema: { type: "object", properties: {} } };
const searches = { dialect: "openai-responses" as const, fields: { type: "web_search" } };
const runs = { dialect: "openai-responses" as const, fields: { type: "code_interpreter" } };
const others = { dialect: "openai-responses" as const, fields: { type: "file_search" } };

const features: Record<string, Partial<ChatRequest>> = {
  "text, instructions": { messages: [{ role: "system", parts: [{ type: "text", text: "Be brief." }] }] },
  "image as data": output({ type: "image", source: { type: "data", ...image } }),
  "image by URL": output({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
  audio: output({ type: "audio", source: { type: "data", mediaType: "audio/wav", data: "AA==" } }),
  PDF: output({ type: "file", source: { type: "data", mediaType: "application/pdf", data: "AA==" } }),
  "file of another type": output({
    type: "file",
    source: { type: "data", mediaType: "application/zip", data: "AA==" },
  }),
  "cache marks": {
    messages: [{ role: "user", parts: [{ type: "text", text: "Hi", cache: { ttl: "1h" } }] }],
  },
  tools: { tools: [look] },
  "tool result with an image": resulting({
    parts: [
      { type: "text", text: "Here." },
      { type: "image", source: { type: "data", ...image } },
    ],
  }),
  "failed tool call": resulting({ isError: true, parts: [{ type: "text", text: "No." }] }),
  "tool choice": { tools: [look], toolChoice: { type: "tool", name: "look" } },
  "parallel calls on or off": { tools: [look], parallelToolCalls: false },
  "web search": { serverTools: [{ kind: "web-search", extra: searches }] },
  "code execution": { serverTools: [{ kind: "code-execution", extra: runs }] },
  "other tools of the provider": { serverTools: [{ kind: "other", extra: others }] },
  "reasoning effort": { reasoning: { effort: "high" } },
  "reasoning budget": { reasoning: { budgetTokens: 2_048 } },
  "JSON object": { responseFormat: { type: "json" } },
  "JSON by schema": { responseFormat: { type: "json-schema", schema: { type: "object" } } },
  "output limit": { maxOutputTokens: 100 },
  temperature: { temperature: 0.5 },
  top_p: { topP: 0.5 },
  top_k: { topK: 10 },
  stop: { stop: ["END"] },
  seed: { seed: 1 },
  penalties: { presencePenalty: 1, frequencyPenalty: 1 },
  logprobs: { logprobs: true, topLogprobs: 2 },
  "several responses": { n: 2 },
  "service tier": { serviceTier: "auto" },
  user: { user: "u" },
};

const base: ChatRequest = {
  model: "m",
  stream: false,
  messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
};

function requestTable(): string[][] {
  const rows = Object.entries(features).map(([name, feature]) => [
    name,
    ...ids.map((id) => {
      const { dropped } = dialects[id].encodeRequest({ ...base, ...feature });
      return dropped.length === 0 ? "yes" : dropped.map((each) => `\`${each}\``).join(", ");
    }),
  ]);
  const own = ids.map((id) => {
    const wire = ids.map((from) => {
      const extra = { dialect: from, fields: { some_field: 1 } };
      return dialects[id].encodeRequest({ ...base, extra }).dropped.length === 0;
    });
    return wire.every((kept, index) => kept === (ids[index] === id)) ? "its own" : "?";
  });
  return [["", ...ids], ...rows, ["fields of one dialect only", ...own]];
}

const codes: ErrorCode[] = [
  "invalid_request",
  "invalid_api_key",
  "insufficient_quota",
  "model_not_allowed",
  "model_not_found",
  "body_too_large",
  "rate_limit_exceeded",
  "upstream_refused",
  "upstream_rate_limited",
  "upstream_failed",
  "answer_too_long",
  "upstream_overloaded",
  "upstream_timeout",
  "no_channel",
  "internal",
];

function errorTable(): string[][] {
  const rows = codes.map((code) => {
    const error = new GatewayError(code as "internal");
    const types = ids.map((id) => {
      const { body } = dialects[id].encodeError(error, "id");
      const inner = body["error"] as Record<string, unknown>;
      return `\`${String(inner["status"] ?? inner["type"])}\``;
    });
    return [`\`${code}\``, String(error.status), ...types];
  });
  return [["", "status", ...ids], ...rows];
}

describe("docs/dialects.md", () => {
  it.each([
    ["requests", requestTable],
    ["errors", errorTable],
  ])("contains the table of %s as generated from the code", (name, table) => {
    expectTable("dialects.md", name, table());
  });
});
