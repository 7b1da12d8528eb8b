import { bearer, type Provider } from "./provider.ts";

/** https://console.groq.com/docs/api-reference, read 2026-11. */
export const groq: Provider = {
  type: 31,
  id: "groq",
  label: "Groq",
  baseUrl: "https://api.groq.com/openai",
  dialects: ["openai-chat"],
  endpoints: ["chat", "audio"],
  keyHint: "gsk_…",
  models: ["llama-3.3-70b-versatile", "openai/gpt-oss-120b"],
  testModel: "llama-3.3-70b-versatile",
  website: "https://console.groq.com",
  headers: bearer,
};
