import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://huggingface.co/docs/inference-providers, read 2026-11. */
export const huggingface: Provider = {
  type: 907,
  id: "huggingface",
  label: "Hugging Face",
  help: "provider-model-hosts",
  baseUrl: "https://router.huggingface.co",
  dialects: ["openai-chat", "openai-responses"],
  endpoints: ["chat", "responses"],
  keyHint: "hf_…",
  models: ["openai/gpt-oss-120b", "deepseek-ai/DeepSeek-V3.2"],
  testModel: "openai/gpt-oss-120b",
  website: "https://huggingface.co/settings/inference-providers",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
