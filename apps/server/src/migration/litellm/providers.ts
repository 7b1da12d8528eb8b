import { lookupTable } from "@gateway/shared/lookup-table";
/** LiteLLM's providers, which begin a model's name before a slash, and this gateway's channel types. */
const types = lookupTable<number>({
  openai: 1,
  text_completion_openai: 1,
  azure: 3,
  azure_text: 3,
  anthropic: 14,
  zai: 16,
  dashscope: 17,
  openrouter: 20,
  gemini: 25,
  minimax: 27,
  deepseek: 28,
  moonshot: 29,
  mistral: 30,
  groq: 31,
  bedrock: 32,
  bedrock_converse: 32,
  cloudflare: 35,
  cohere: 36,
  cohere_chat: 36,
  ollama: 39,
  ollama_chat: 39,
  vertex_ai: 42,
  github: 49,
  replicate: 52,
  databricks: 54,
  xai: 56,
  jina_ai: 47,
  volcengine: 901,
  together_ai: 902,
  fireworks_ai: 903,
  perplexity: 904,
  cerebras: 905,
  nvidia_nim: 906,
  huggingface: 907,
  novita: 908,
  hosted_vllm: 911,
  lm_studio: 912,
  azure_ai: 915,
});

const custom = 8;
/** Spoken to in OpenAI's format at an address of the operator. */
const compatible = new Set([
  "custom_openai",
  "openai_like",
  "litellm_proxy",
  "text-completion-openai",
  "llamafile",
  "vllm",
]);

export interface ModelPlace {
  provider: string;
  /** Channel type; undefined for a provider without a counterpart. */
  type: number | undefined;
  /** Name at the provider. */
  upstream: string;
}

/** From `provider/name`, or a name with the provider beside it. */
export function placeOf(model: string, given: string, address: string): ModelPlace {
  const slash = model.indexOf("/");
  const prefix = slash === -1 ? "" : model.slice(0, slash);
  const isProvider = Object.hasOwn(types, prefix) || compatible.has(prefix);
  const provider = given !== "" ? given : isProvider ? prefix : inferProvider(model);
  const name = isProvider && (given === "" || given === prefix) ? model.slice(slash + 1) : model;
  const type = compatible.has(provider) ? custom : types[provider];
  // OpenAI's format at another address: LiteLLM's usual way for servers that it does not know.
  if (type === 1 && address !== "" && !/\.openai\.com(\/|$|:)/.test(address))
    return { provider, type: custom, upstream: name };
  return {
    provider,
    type: type ?? (address === "" ? undefined : custom),
    upstream: type === types["bedrock"] ? name.replace(/^(converse|invoke)\//, "") : name,
  };
}

/** Of names without a provider LiteLLM knows the maker. */
function inferProvider(model: string): string {
  if (model.startsWith("claude")) return "anthropic";
  if (model.startsWith("gemini")) return "vertex_ai";
  if (model.startsWith("command")) return "cohere";
  if (/^mistral|^codestral/.test(model)) return "mistral";
  return "openai";
}
