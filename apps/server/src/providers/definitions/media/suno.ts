import { bearer, type Provider } from "#providers/provider.ts";

/** Any server with the API of https://github.com/SunoAI-API/Suno-API, read 2026-11-21. */
export const suno: Provider = {
  type: 41,
  id: "suno",
  label: "Suno",
  group: "media",
  help: "provider-media",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["suno"],
  keyHint: "",
  models: ["suno_lyrics", "chirp-v3-0", "chirp-v3-5", "chirp-v4"],
  testModel: "",
  website: "",
  headers: bearer,
  listing: "none",
};
