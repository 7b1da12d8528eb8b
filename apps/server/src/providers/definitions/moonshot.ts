import { z } from "zod";
import { withBlockThinking, withCallThinking } from "#providers/models/thinking-history.ts";
import { bearerOrAnthropic, type Provider } from "#providers/provider.ts";
import { clampField, freeToolChoice, inSequence, onChat, onMessages, plain } from "#providers/quirks.ts";
import { functionSchemas, typedUnions } from "#providers/schemas/openai.ts";

const Account = z.object({ data: z.object({ available_balance: z.number() }) });

/** https://platform.moonshot.cn/docs, read 2026-11-21. api.moonshot.ai outside China. */
export const moonshot: Provider = {
  type: 29,
  id: "moonshot",
  label: "Moonshot",
  help: "provider-china",
  baseUrl: "https://api.moonshot.cn",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat"],
  // https://platform.kimi.com/docs/api/errors, read 2026-11-21.
  refusals: {
    kinds: {
      exceeded_current_quota_error: "quota",
      engine_overloaded_error: "overloaded",
      permission_denied_error: "not-found",
      resource_not_found_error: "not-found",
      content_filter: "bad-request",
    },
  },
  keyHint: "sk-…",
  models: ["kimi-k3", "kimi-k2.7-code", "kimi-k2.6"],
  testModel: "kimi-k2.6",
  website: "https://platform.moonshot.cn",
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => (dialect === "anthropic" ? `/anthropic${standard}` : standard),
  adjustRequest: inSequence(
    onChat(
      ...plain,
      clampField("temperature", 0, 1),
      freeToolChoice,
      withCallThinking,
      functionSchemas,
      typedUnions,
    ),
    onMessages(withBlockThinking),
  ),
  balance: {
    path: "/v1/users/me/balance",
    read: (answer) => ({ amount: Account.parse(answer).data.available_balance, currency: "CNY" }),
  },
};
