/** The page of Help about each provider. A test compares it with docs/provider-*.md. */
import { lookupTable } from "@gateway/shared/lookup-table";

const pages = lookupTable<readonly string[]>({
  "provider-openai": ["openai", "custom", "gateway"],
  "provider-anthropic": ["anthropic"],
  "provider-google": ["gemini", "vertex", "palm"],
  "provider-azure": ["azure", "azure-v1", "azure-foundry", "azure-databricks", "azure-speech"],
  "provider-bedrock": ["bedrock"],
  "provider-model-makers": ["deepseek", "xai", "mistral", "perplexity", "cohere", "llama"],
  "provider-model-hosts": [
    "openrouter",
    "groq",
    "cerebras",
    "together",
    "fireworks",
    "huggingface",
    "nvidia",
    "novita",
    "cloudflare",
    "replicate",
  ],
  "provider-china": [
    "ali",
    "volcengine",
    "zhipu",
    "moonshot",
    "minimax",
    "baidu",
    "hunyuan",
    "tencent",
    "xunfei",
    "siliconflow",
    "stepfun",
    "xiaomi",
    "baichuan",
    "lingyi",
    "ai360",
    "coze",
  ],
  "provider-own-servers": ["vllm", "ollama", "llamacpp", "lmstudio", "rerank"],
  "provider-media": ["jina", "stability", "recraft", "ideogram", "flux", "suno", "kling", "midjourney"],
  "providers#demo": ["demo"],
});

const pageOf: ReadonlyMap<string, string> = new Map(
  Object.entries(pages).flatMap(([page, ids]) => ids.map((id) => [id, page])),
);

/** Returns the page of Help about a provider; the general page for an unknown one. */
export function helpOfProvider(id: string | undefined): string {
  return (id === undefined ? undefined : pageOf.get(id)) ?? "providers";
}
