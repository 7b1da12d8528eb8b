import { mendChat } from "#dialects/openai-chat/mend.ts";
import { bearer, type Provider } from "#providers/provider.ts";

/** Flux's models behind a server that speaks OpenAI's image wire; the provider's own API has another one. */
export const flux: Provider = {
  type: 46,
  id: "flux",
  label: "Flux (OpenAI-compatible server)",
  baseUrl: "",
  dialects: ["openai-chat"],
  mends: { "openai-chat": mendChat },
  endpoints: ["chat", "images"],
  keyHint: "",
  models: [],
  testModel: "",
  website: "https://bfl.ai",
  headers: bearer,
};
