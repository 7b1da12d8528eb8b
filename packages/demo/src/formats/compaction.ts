import { type Json, asList } from "#answer/json.ts";
import { readResponses } from "./openai-responses-request.ts";

/**
 * Compacts a conversation: users' messages stay, everything else becomes one item that only its provider can
 * read.
 */
export function compaction(body: Json): Json {
  const { input } = readResponses(body);
  const content = asList(body["input"]).filter((item) => (item as Json)["role"] === "user");
  const sealed = Buffer.from(JSON.stringify(body["input"] ?? "")).toString("base64");
  const output = [
    ...content,
    { id: "cmp_1", type: "compaction", encrypted_content: sealed.slice(0, 64), created_by: "demo" },
  ];
  return {
    id: "resp_compacted",
    object: "response.compaction",
    created_at: Math.floor(Date.now() / 1_000),
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 16,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + 16,
    },
  };
}
