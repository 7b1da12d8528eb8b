import { speech, voicePlugin } from "./minimax-speech.ts";
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
  endpoints: ["chat", "audio"],
  offers: (path) => !path.startsWith("/v1/audio/") || path === "/v1/audio/speech",
  keyHint: "",
  models: ["MiniMax-M2.5", "MiniMax-M2.1", "MiniMax-M2", "speech-2.6-hd", "speech-2.6-turbo"],
  testModel: "MiniMax-M2",
  website: "https://platform.minimaxi.com",
  plugin: voicePlugin,
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => (dialect === "anthropic" ? `/anthropic${standard}` : standard),
  adjustRequest: onChat(
    systemForDeveloper,
    clamped("temperature", 0.01, 1),
    without("presence_penalty", "frequency_penalty", "logit_bias"),
  ),
  adapters: { "/v1/audio/speech": speech },
};
