import { bearer, type Provider } from "#providers/provider.ts";
import { cozeChat } from "#providers/wires/coze.ts";

/** https://docs.coze.cn/developer_guides_chat_v3.md, read 2026-11-21. api.coze.cn in China. */
export const coze: Provider = {
  type: 38,
  id: "coze",
  label: "Coze",
  help: "provider-china",
  baseUrl: "https://api.coze.com",
  dialects: ["openai-chat"],
  wire: () => cozeChat,
  endpoints: ["chat"],
  // https://docs.coze.cn/developer_guides/coze_error_codes was not reachable; 4101 and below as the API
  // returned them.
  refusals: {
    kinds: {
      4000: "bad-request",
      4013: "rate-limited",
      4027: "quota",
      4028: "quota",
      4100: "auth",
      4101: "auth",
      4200: "not-found",
      700012006: "auth",
    },
  },
  keyHint: "pat_…",
  models: [],
  testModel: "",
  website: "https://www.coze.com",
  headers: bearer,
  listing: "none",
};
