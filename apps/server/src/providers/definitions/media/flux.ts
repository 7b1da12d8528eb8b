import { bearer, type Provider } from "#providers/provider.ts";

/** Flux's models behind a server with OpenAI's image API; Flux's own API is different. */
export const flux: Provider = {
  type: 46,
  id: "flux",
  label: "Flux (OpenAI-compatible server)",
  group: "media",
  help: "provider-media",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "images"],
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://bfl.ai",
  headers: bearer,
};
