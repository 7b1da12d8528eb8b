import { z } from "zod";
import { bearerOrAnthropic, type Provider } from "./provider.ts";
import { jsonWithoutSchema, onChat, plain } from "./quirks.ts";

const Accounts = z.object({
  balance_infos: z.array(z.object({ currency: z.enum(["USD", "CNY"]), total_balance: z.coerce.number() })),
});

/** https://api-docs.deepseek.com, read 2026-11. */
export const deepseek: Provider = {
  type: 28,
  id: "deepseek",
  label: "DeepSeek",
  baseUrl: "https://api.deepseek.com",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat", "completions"],
  keyHint: "sk-…",
  models: ["deepseek-chat", "deepseek-reasoner"],
  testModel: "deepseek-chat",
  website: "https://platform.deepseek.com/usage",
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => {
    if (dialect === "anthropic") return `/anthropic${standard}`;
    return standard === "/v1/completions" ? "/beta/completions" : standard;
  },
  adjustRequest: onChat(...plain, jsonWithoutSchema),
  balance: {
    path: "/user/balance",
    read(answer) {
      const [account] = Accounts.parse(answer).balance_infos;
      return account && { amount: account.total_balance, currency: account.currency };
    },
  },
};
