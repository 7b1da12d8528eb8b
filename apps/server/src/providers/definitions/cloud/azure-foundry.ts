import { claudeCacheMinimum, claudeLimits } from "#providers/models/claude-models.ts";
import { foundryHost, hostLimits } from "#providers/models/messages-hosts.ts";
import { effortIfKnown } from "#providers/models/model-efforts.ts";
import { deploymentLimit, openaiDialects, openaiLimits } from "#providers/models/openai-models.ts";
import { azureAnthropicKey, azureKey, type Provider } from "#providers/provider.ts";
import { inSequence, onChat, withoutThoughts } from "#providers/quirks.ts";

/**
 * https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/use-foundry-models-claude, read 2026-11.
 * Claude uses Anthropic's API there, every other model OpenAI's.
 */
export const azureFoundry: Provider = {
  type: 915,
  id: "azure-foundry",
  label: "Azure AI Foundry",
  icon: "azureai",
  group: "cloud",
  help: "provider-azure",
  baseUrl: "",
  dialects: ["openai-chat", "openai-responses", "anthropic"],
  runsWebSearch: ["openai-responses", "anthropic"],
  managesContext: true,
  messages: foundryHost,
  proofs: "azure",
  endpoints: ["chat", "responses", "embeddings", "images", "account"],
  identity: { cloud: "azure", scope: "https://cognitiveservices.azure.com" },
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://ai.azure.com",
  headers: (key, { dialect }) => (dialect === "anthropic" ? azureAnthropicKey(key) : azureKey(key)),
  speaks: (call) => (call.model.includes("claude") ? ["anthropic"] : openaiDialects(call)),
  path: ({ dialect }, standard) => (dialect === "anthropic" ? "/anthropic" : "/openai") + standard,
  cacheMarks: claudeCacheMinimum,
  adjustRequest: inSequence(
    claudeLimits,
    hostLimits(foundryHost),
    openaiLimits,
    onChat(deploymentLimit, effortIfKnown, withoutThoughts),
  ),
};
