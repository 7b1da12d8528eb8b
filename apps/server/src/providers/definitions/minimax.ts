import type { Wire } from "#dialects/dialect.ts";
import { bearerOrAnthropic, type RequestShape, type Provider } from "#providers/provider.ts";
import { clampField, onChat, systemForDeveloper, without } from "#providers/quirks.ts";
import { speech, voicePlugin } from "#providers/wires/minimax-speech.ts";

/**
 * Requests reasoning in a separate field. By default it is part of the text, between tags, and clients of
 * other dialects would show it as text.
 */
function thoughtsApart(body: Wire, { translated }: RequestShape): Wire {
  return translated === true && body["reasoning_split"] === undefined
    ? { ...body, reasoning_split: true }
    : body;
}

/**
 * https://platform.minimaxi.com/docs/api-reference/text-openai-api, read 2026-11-21.
 * api.minimax.io outside China.
 */
export const minimax: Provider = {
  type: 27,
  id: "minimax",
  label: "MiniMax",
  help: "provider-china",
  baseUrl: "https://api.minimaxi.com",
  dialects: ["openai-chat", "anthropic"],
  endpoints: ["chat", "audio"],
  // https://platform.minimax.io/docs/api-reference/errorcode, read 2026-11-21.
  refusals: {
    kinds: {
      1001: "timeout",
      1002: "rate-limited",
      1004: "auth",
      1008: "quota",
      1026: "bad-request",
      1027: "bad-request",
      1039: "rate-limited",
      1042: "bad-request",
      2013: "bad-request",
      2049: "auth",
      // This key's plan does not include the model.
      2061: "not-found",
    },
    // Errors with an HTTP status of their own contain the code in the message only.
    sentences: [
      [/unknown model/, "not-found"],
      [/\(1008\)$/, "quota"],
      [/\(10(?:02|39)\)$/, "rate-limited"],
      [/\(2061\)$/, "not-found"],
    ],
  },
  offers: (path) => !path.startsWith("/v1/audio/") || path === "/v1/audio/speech",
  keyHint: "",
  models: ["MiniMax-M3", "MiniMax-M2.7", "MiniMax-M2.5", "speech-2.6-hd", "speech-2.6-turbo"],
  testModel: "MiniMax-M2.7",
  website: "https://platform.minimaxi.com",
  plugin: voicePlugin,
  headers: bearerOrAnthropic,
  path: ({ dialect }, standard) => (dialect === "anthropic" ? `/anthropic${standard}` : standard),
  adjustRequest: onChat(
    systemForDeveloper,
    clampField("temperature", 0.01, 1),
    without("presence_penalty", "frequency_penalty", "logit_bias"),
    thoughtsApart,
  ),
  adapters: { "/v1/audio/speech": speech },
};
