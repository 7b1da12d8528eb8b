import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat } from "#providers/quirks.ts";

/** https://github.com/ggml-org/llama.cpp/tree/master/tools/server, read 2026-11. */
export const llamacpp: Provider = {
  type: 913,
  id: "llamacpp",
  label: "llama.cpp",
  icon: "meta",
  group: "compatible",
  help: "provider-own-servers",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings", "rerank"],
  keyless: true,
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://github.com/ggml-org/llama.cpp",
  headers: bearer,
  adjustRequest: onChat(effortIfKnown),
};
