import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, systemForDeveloper, without, withoutInMessages } from "#providers/quirks.ts";

/** https://inference-docs.cerebras.ai/api-reference/chat-completions, read 2026-11. */
export const cerebras: Provider = {
  type: 905,
  id: "cerebras",
  label: "Cerebras",
  help: "provider-model-hosts",
  baseUrl: "https://api.cerebras.ai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions"],
  keyHint: "csk-…",
  models: ["gpt-oss-120b", "llama-3.3-70b", "zai-glm-4.6"],
  testModel: "gpt-oss-120b",
  website: "https://cloud.cerebras.ai",
  headers: bearer,
  adjustRequest: onChat(
    systemForDeveloper,
    without("presence_penalty", "frequency_penalty", "logit_bias"),
    withoutInMessages("reasoning_content", "reasoning_details"),
  ),
};
