import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { deploymentLimit, openaiDialects, openaiLimits } from "#providers/models/openai-models.ts";
import { inVersion } from "#providers/outgoing.ts";
import { azureKey, type Provider } from "#providers/provider.ts";
import { inSequence, onChat, withoutThoughts } from "#providers/quirks.ts";

/** https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle, read 2026-11. */
export const azureV1: Provider = {
  type: 55,
  id: "azure-v1",
  label: "Azure OpenAI V1",
  icon: "azure",
  group: "cloud",
  help: "provider-azure",
  baseUrl: "",
  dialects: ["openai-chat", "openai-responses"],
  runsWebSearch: ["openai-chat", "openai-responses"],
  speaks: openaiDialects,
  proofs: "azure",
  endpoints: ["chat", "responses", "completions", "embeddings", "images", "audio", "realtime", "account"],
  identity: { cloud: "azure", scope: "https://cognitiveservices.azure.com" },
  keyHint: "",
  otherLabel: "API version (preview or latest; may be empty)",
  models: [],
  testModel: "",
  website: "https://ai.azure.com",
  headers: azureKey,
  path: ({ other }, standard) =>
    other === "" ? `/openai${standard}` : inVersion(`/openai${standard}`, other),
  adjustRequest: inSequence(openaiLimits, onChat(deploymentLimit, effortIfKnown, withoutThoughts)),
};
