import { bearer, type Provider } from "#providers/provider.ts";
import { klingRefusals } from "./media/kling.ts";

/** Returns the simulated provider of demo/, for trying everything without a provider account. */
export function demo(url: string): Provider {
  return {
    type: 900,
    id: "demo",
    label: "Demo",
    group: "compatible",
    help: "providers#demo",
    baseUrl: url,
    isInternal: true,
    exact: true,
    dialects: ["openai-chat", "openai-responses", "anthropic", "gemini"],
    responsesWebSocket: true,
    proofs: "unknown",
    endpoints: [
      "chat",
      "responses",
      "completions",
      "embeddings",
      "moderations",
      "images",
      "audio",
      "rerank",
      "realtime",
      "account",
      "suno",
      "kling",
      "midjourney",
    ],
    // It rejects videos with Kling's error codes.
    refusals: klingRefusals,
    keyless: true,
    keyHint: "",
    models: ["demo-chat", "demo-chat-mini", "demo-think"],
    testModel: "demo-chat-mini",
    website: "",
    headers: bearer,
  };
}
