import type { Provider } from "#providers/provider.ts";
import { gemini } from "./gemini.ts";

/** https://ai.google.dev/palm_docs, read 2026-11-21. Google retired PaLM in 2024; its keys work with Gemini. */
export const palm: Provider = {
  ...gemini,
  type: 11,
  id: "palm",
  label: "Google PaLM (retired; uses Gemini)",
  group: "discontinued",
  help: "provider-google",
};
