import type { Provider } from "./provider.ts";

/** https://ai.google.dev/api/generate-content, read 2026-11. */
export const gemini: Provider = {
  type: 25,
  id: "gemini",
  label: "Google Gemini",
  baseUrl: "https://generativelanguage.googleapis.com",
  dialects: ["gemini"],
  endpoints: ["chat"],
  keyHint: "AIza…",
  models: ["gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"],
  testModel: "gemini-2.5-flash-lite",
  website: "https://aistudio.google.com",
  headers: (key) => ({ "x-goog-api-key": key }),
};
