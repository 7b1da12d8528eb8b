import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import { forcedOrThinking, withBlockThinking, withCallThinking } from "#providers/models/thinking-history.ts";
import { bearerOrAnthropic, type Provider } from "#providers/provider.ts";
import { type Adjust, inSequence, jsonWithoutSchema, onChat, onMessages, plain } from "#providers/quirks.ts";

const Accounts = z.object({
  balance_infos: z.array(z.object({ currency: z.enum(["USD", "CNY"]), total_balance: z.coerce.number() })),
});

/**
 * Two former names of one model, which ended on 2026-07-24.
 * The model thinks by default; each name sets its own mode.
 */
const formerNames = lookupTable<string>({
  "deepseek-chat": "disabled",
  "deepseek-reasoner": "enabled",
});

const currentName: Adjust = (body) => {
  const thinking = formerNames[String(body["model"])];
  if (thinking === undefined) return body;
  return { thinking: { type: thinking }, ...body, model: "deepseek-v4-flash" };
};

const adjust = inSequence(
  currentName,
  onChat(...plain, jsonWithoutSchema, forcedOrThinking, withCallThinking),
  onMessages(forcedOrThinking, withBlockThinking),
);

/** https://api-docs.deepseek.com/quick_start/error_codes and …/updates, read 2026-11-21. */
export const deepseek: Provider = {
  type: 28,
  id: "deepseek",
  label: "DeepSeek",
  group: "most-used",
  help: "provider-model-makers",
  baseUrl: "https://api.deepseek.com",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat", "completions"],
  keyHint: "sk-…",
  models: ["deepseek-v4-flash", "deepseek-v4-pro"],
  testModel: "deepseek-v4-flash",
  website: "https://platform.deepseek.com/usage",
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => {
    if (dialect === "anthropic") return `/anthropic${standard}`;
    return standard === "/v1/completions" ? "/beta/completions" : standard;
  },
  adjustRequest: adjust,
  balance: {
    path: "/user/balance",
    read(answer) {
      const [account] = Accounts.parse(answer).balance_infos;
      return account && { amount: account.total_balance, currency: account.currency };
    },
  },
};
