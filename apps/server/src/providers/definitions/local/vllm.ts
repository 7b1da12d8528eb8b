import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat } from "#providers/quirks.ts";

/**
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, read 2026-11, and …/features/reasoning_outputs,
 * read 2026-11-21.
 */
export const vllm: Provider = {
  type: 911,
  id: "vllm",
  label: "vLLM",
  group: "compatible",
  help: "provider-own-servers",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "responses", "completions", "embeddings", "audio", "rerank"],
  keyless: true,
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://docs.vllm.ai",
  headers: bearer,
  adjustRequest: onChat(effortIfKnown),
};
