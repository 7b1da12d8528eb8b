import { withBlockThinking, withCallThinking } from "#providers/models/thinking-history.ts";
import { bearerOrAnthropic, type Provider } from "#providers/provider.ts";
import { inSequence, onChat, onMessages, renameField, systemForDeveloper } from "#providers/quirks.ts";

/** https://platform.xiaomimimo.com/docs, read 2026-11-21. */
export const xiaomi: Provider = {
  type: 910,
  id: "xiaomi",
  label: "Xiaomi MiMo",
  icon: "xiaomimimo",
  help: "provider-china",
  baseUrl: "https://api.xiaomimimo.com",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat"],
  refusals: { kinds: {}, sentences: [[/: Not supported model/, "not-found"]] },
  keyHint: "sk-…",
  // Models before 2.6 ended on 2026-10-21.
  models: ["mimo-v2.6-pro", "mimo-v2.6-flash"],
  testModel: "mimo-v2.6-flash",
  website: "https://platform.xiaomimimo.com",
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => (dialect === "anthropic" ? `/anthropic${standard}` : standard),
  adjustRequest: inSequence(
    onChat(systemForDeveloper, renameField("max_tokens", "max_completion_tokens"), withCallThinking),
    onMessages(withBlockThinking),
  ),
};
