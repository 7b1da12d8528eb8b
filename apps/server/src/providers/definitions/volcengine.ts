import { searchesOnResponses } from "#providers/models/searches-on-responses.ts";
import { bearer, type Provider } from "#providers/provider.ts";
import { onChat, systemForDeveloper } from "#providers/quirks.ts";

/** https://www.volcengine.com/docs/82379/1494384, read 2026-11-21. */
export const volcengine: Provider = {
  type: 901,
  id: "volcengine",
  label: "VolcEngine (Doubao)",
  help: "provider-china",
  baseUrl: "https://ark.cn-beijing.volces.com",
  dialects: ["openai-chat", "openai-responses"],
  runsWebSearch: ["openai-responses"],
  speaks: searchesOnResponses(),
  endpoints: ["chat", "responses", "embeddings", "images"],
  // https://www.volcengine.com/docs/82379/1299023 and …/1099476, read 2026-11-21.
  refusals: {
    kinds: {
      AccountOverdueError: "quota",
      ServiceOverdue: "quota",
      QuotaExceeded: "quota",
      InvalidSubscription: "quota",
      AccessDenied: "not-found",
      OperationDenied: "not-found",
      ModelNotOpen: "not-found",
      InvalidEndpointOrModel: "not-found",
      InvalidEndpoint: "not-found",
      ServerOverloaded: "overloaded",
    },
  },
  keyHint: "",
  models: ["doubao-seed-2-1-pro-260628", "doubao-seed-2-1-turbo-260628", "doubao-seed-1-8-251228"],
  testModel: "doubao-seed-2-1-turbo-260628",
  website: "https://console.volcengine.com/ark",
  headers: bearer,
  path: (_call, standard) => standard.replace(/^\/v1(?=\/)/, "/api/v3"),
  adjustRequest: onChat(systemForDeveloper),
};
