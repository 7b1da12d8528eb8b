import { lookupTable } from "@gateway/shared/lookup-table";

/** Names that differ from the gateway's ids. */
const providerNames = lookupTable<string>({
  azure: "azure.ai.openai",
  "azure-v1": "azure.ai.openai",
  "azure-foundry": "azure.ai.inference",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
});

/** Returns the name of a provider in OpenTelemetry's semantic conventions; the id for one that they do not name. */
export function conventionName(id: string): string {
  return providerNames[id] ?? id;
}
