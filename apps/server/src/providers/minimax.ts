import { bearerOrAnthropic, type Provider } from "./provider.ts";
import { clamped, onChat, systemForDeveloper, without } from "./quirks.ts";

/**
 * https://platform.minimaxi.com/docs/api-reference/text-openai-api, read 2026-11.
 * api.minimax.io outside China.
 */
export const minimax: Provider = {
  type: 27,
  id: "minimax",
  label: "MiniMax",
  baseUrl: "https://api.minimaxi.com",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat"],
  keyHint: "",
  models: ["MiniMax-M2.5", "MiniMax-M2.1", "MiniMax-M2"],
  testModel: "MiniMax-M2",
  website: "https://platform.minimaxi.com",
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => (dialect === "anthropic" ? `/anthropic${standard}` : standard),
  adjustRequest: onChat(
    systemForDeveloper,
    clamped("temperature", 0.01, 1),
    without("presence_penalty", "frequency_penalty", "logit_bias"),
  ),
};
