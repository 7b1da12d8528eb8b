import { z } from "zod";
import { azureBearer, type Provider } from "#providers/provider.ts";
import { onChat, plain } from "#providers/quirks.ts";
import { functionSchemas } from "#providers/schemas/openai.ts";

const Endpoints = z.object({ endpoints: z.array(z.object({ name: z.string() })) });

/**
 * https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference and
 * …/machine-learning/model-serving/query-reason-models, read 2026-11-21.
 */
export const azureDatabricks: Provider = {
  type: 54,
  id: "azure-databricks",
  label: "Azure Databricks",
  icon: "azure",
  group: "cloud",
  help: "provider-azure",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["chat", "completions", "embeddings"],
  // The application ID of Databricks, the same in every tenant.
  identity: { cloud: "azure", scope: "2ff814a6-3304-4ab8-85cb-cd0e6f879c1d" },
  keyHint: "dapi…",
  models: ["databricks-claude-sonnet-4-5", "databricks-gpt-oss-120b"],
  testModel: "databricks-claude-sonnet-4-5",
  website: "https://accounts.azuredatabricks.net",
  headers: azureBearer,
  path: (_call, standard) => standard.replace(/^\/v1(?=\/)/, "/serving-endpoints"),
  adjustRequest: onChat(...plain, functionSchemas),
  listing: {
    path: "/api/2.0/serving-endpoints",
    read: (answer) => Endpoints.parse(answer).endpoints.map((endpoint) => endpoint.name),
  },
};
