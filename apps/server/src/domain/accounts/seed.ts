import type { Db } from "#platform/database/db.ts";

/**
 * Creates the initial data of an installation. Deleted groups are not created again; missing model owners
 * are.
 */
export async function seedAccounts(db: Db): Promise<void> {
  if ((await db.userGroup.count()) === 0) {
    await db.userGroup.createMany({
      data: [
        { symbol: "default", name: "Default", public: true },
        { symbol: "vip", name: "VIP" },
        { symbol: "svip", name: "SVIP" },
      ].map((group) => ({ ...group, ratio: 1, api_rate: 600 })),
      // Two nodes may start at the same time.
      skipDuplicates: true,
    });
  }
  await db.modelOwner.createMany({
    data: owners.map(([id, name, icon]) => ({ id, name, icon })),
    skipDuplicates: true,
  });
}

/** Id (also the channel type of the provider), name, and icon from the console's icon set. */
const owners: readonly [number, string, string][] = [
  [1, "OpenAI", "openai"],
  [11, "Google PaLM", "palm"],
  [14, "Anthropic", "anthropic"],
  [15, "Baidu", "baidu"],
  [16, "Zhipu", "zhipu"],
  [17, "Qwen", "qwen"],
  [18, "Spark", "spark"],
  [19, "360", "ai360"],
  [20, "OpenRouter", "openrouter"],
  [23, "Tencent", "tencent"],
  [25, "Google Gemini", "gemini"],
  [26, "Baichuan", "baichuan"],
  [27, "MiniMax", "minimax"],
  [28, "Deepseek", "deepseek"],
  [29, "Moonshot", "moonshot"],
  [30, "Mistral", "mistral"],
  [31, "Groq", "groq"],
  [33, "Yi", "yi"],
  [34, "Midjourney", "midjourney"],
  [35, "Cloudflare AI", "cloudflare"],
  [36, "Cohere", "cohere"],
  [37, "Stability AI", "stability"],
  [38, "Coze", "coze"],
  [39, "Ollama", "ollama"],
  [40, "Hunyuan", "hunyuan"],
  [41, "Suno", "suno"],
  [43, "Meta", "meta"],
  [44, "Ideogram", "ideogram"],
  [45, "Siliconflow", "siliconcloud"],
  [46, "Flux", "flux"],
  [47, "Jina", "jina"],
  [48, "Rerank", ""],
  [51, "RecraftAI", "recraft"],
  [53, "Kling", "kling"],
  [56, "xAI", "xai"],
  [900, "Demo", "demo"],
];
