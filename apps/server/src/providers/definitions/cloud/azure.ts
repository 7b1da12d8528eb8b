import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { deploymentLimit, openaiDialects, openaiLimits } from "#providers/models/openai-models.ts";
import { inVersion } from "#providers/outgoing.ts";
import { azureKey, type Provider } from "#providers/provider.ts";
import { inSequence, onChat, withoutThoughts } from "#providers/quirks.ts";

/** API version that most deployments support. Newer features need a newer version in the channel. */
const DEFAULT_VERSION = "2024-10-21";

/**
 * https://learn.microsoft.com/azure/ai-foundry/openai/reference, read 2026-11. Models are addressed by their
 * deployment name.
 */
export const azure: Provider = {
  type: 3,
  id: "azure",
  label: "Azure OpenAI",
  group: "most-used",
  help: "provider-azure",
  baseUrl: "",
  dialects: ["openai-chat", "openai-responses"],
  runsWebSearch: ["openai-chat", "openai-responses"],
  speaks: openaiDialects,
  proofs: "azure",
  endpoints: ["chat", "responses", "completions", "embeddings", "images", "audio", "realtime", "account"],
  identity: { cloud: "azure", scope: "https://cognitiveservices.azure.com" },
  keyHint: "",
  otherLabel: "API version",
  models: [],
  testModel: "",
  website: "https://portal.azure.com",
  headers: azureKey,
  path({ model, other }, standard) {
    // Both have one URL for all deployments; a session names its deployment in the query.
    if (standard.startsWith("/v1/responses") || standard.startsWith("/v1/realtime"))
      return `/openai${standard}`;
    const deployment = model === "" ? "" : `/deployments/${encodeURIComponent(model)}`;
    return inVersion(`/openai${deployment}${standard.slice("/v1".length)}`, other || DEFAULT_VERSION);
  },
  adjustRequest: inSequence(openaiLimits, onChat(deploymentLimit, effortIfKnown, withoutThoughts)),
  listing: { path: "/openai/deployments?api-version=2023-03-15-preview" },
};
