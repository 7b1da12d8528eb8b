import { bearer, type Provider } from "#providers/provider.ts";

/** Ideogram's models behind a server with OpenAI's image API; Ideogram's own API is different. */
export const ideogram: Provider = {
  type: 44,
  id: "ideogram",
  label: "Ideogram (OpenAI-compatible server)",
  group: "media",
  help: "provider-media",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "images"],
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://ideogram.ai",
  headers: bearer,
};
