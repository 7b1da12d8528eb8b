import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";

/** https://platform.lingyiwanwu.com/docs/api-reference, read 2026-11-21. */
export const lingyi: Provider = {
  type: 33,
  id: "lingyi",
  label: "Lingyiwanwu (01.AI)",
  icon: "yi",
  help: "provider-china",
  baseUrl: "https://api.lingyiwanwu.com",
  dialects: ["openai-chat"],
  endpoints: ["chat"],
  keyHint: "",
  models: ["yi-lightning", "yi-vision-v2"],
  testModel: "yi-lightning",
  website: "https://platform.lingyiwanwu.com",
  headers: bearer,
  adjustRequest: onChat(...plain),
};
