import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat } from "#providers/quirks.ts";

/** https://lmstudio.ai/docs/developer/openai-compat and …/tools, read 2026-11-21. */
export const lmstudio: Provider = {
  type: 912,
  id: "lmstudio",
  label: "LM Studio",
  group: "compatible",
  help: "provider-own-servers",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings"],
  keyless: true,
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://lmstudio.ai",
  headers: bearer,
  adjustRequest: onChat(effortIfKnown),
};
