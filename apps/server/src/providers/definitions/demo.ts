import { bearer, type Provider } from "#providers/provider.ts";
import { klingRefusals } from "./media/kling.ts";

/** The simulated provider of demo/, so that everything can be tried without an account anywhere. */
export function demo(url: string): Provider {
  return {
    type: 900,
    id: "demo",
    label: "Demo",
    baseUrl: url,
    dialects: ["openai-chat", "openai-responses", "anthropic", "gemini"],
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
    // It refuses videos in Kling's codes.
    refusals: klingRefusals,
    keyless: true,
    keyHint: "",
    models: ["demo-chat", "demo-chat-mini", "demo-think"],
    testModel: "demo-chat-mini",
    website: "",
    headers: bearer,
  };
}
