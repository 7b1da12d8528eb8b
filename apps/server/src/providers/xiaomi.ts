import { bearerOrAnthropic, type Provider } from "./provider.ts";
import { onChat, renamed, systemForDeveloper } from "./quirks.ts";

/** https://platform.xiaomimimo.com/docs, read 2026-11-21. */
export const xiaomi: Provider = {
  type: 910,
  id: "xiaomi",
  label: "Xiaomi MiMo",
  icon: "xiaomimimo",
  baseUrl: "https://api.xiaomimimo.com",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat"],
  refusals: { kinds: {}, sentences: [[/^Not supported model/, "not-found"]] },
  keyHint: "sk-…",
  models: ["mimo-v2-flash", "mimo-v2-pro"],
  testModel: "mimo-v2-flash",
  website: "https://platform.xiaomimimo.com",
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => (dialect === "anthropic" ? `/anthropic${standard}` : standard),
  adjustRequest: onChat(systemForDeveloper, renamed("max_tokens", "max_completion_tokens")),
};
