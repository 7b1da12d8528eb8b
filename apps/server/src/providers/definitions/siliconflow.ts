import { z } from "zod";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

const Account = z.object({ data: z.object({ totalBalance: z.coerce.number() }) });

/** https://docs.siliconflow.cn/cn/api-reference/chat-completions/chat-completions, read 2026-11-21. */
export const siliconflow: Provider = {
  type: 45,
  id: "siliconflow",
  label: "SiliconFlow",
  icon: "siliconcloud",
  help: "provider-china",
  baseUrl: "https://api.siliconflow.cn",
  dialects: ["openai-chat"],
  endpoints: ["chat", "embeddings", "images", "audio", "rerank"],
  // https://docs.siliconflow.cn/cn/faqs/error-code, read 2026-11-21; 30001 from memory.
  refusals: {
    kinds: {
      20012: "not-found",
      30001: "quota",
      30011: "quota",
      // Usually a model that requires a verified account; another model may work.
      403: "not-found",
    },
  },
  keyHint: "sk-…",
  models: ["deepseek-ai/DeepSeek-V3.2", "Qwen/Qwen3-32B"],
  testModel: "Qwen/Qwen3-8B",
  website: "https://cloud.siliconflow.cn",
  headers: bearer,
  adjustRequest: onChat(...plain),
  balance: {
    path: "/v1/user/info",
    read: (answer) => ({ amount: Account.parse(answer).data.totalBalance, currency: "CNY" }),
  },
};
