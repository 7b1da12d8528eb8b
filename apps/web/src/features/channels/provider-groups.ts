/** The groups of the list of providers. */
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("channels");

/** English titles; translated when displayed. Providers that are not named here are in the group `others`. */
const groups: { title: string; ids: string[] }[] = [
  {
    title: phrase("Most used"),
    ids: ["openai", "anthropic", "gemini", "deepseek", "openrouter", "azure", "bedrock", "vertex"],
  },
  {
    title: phrase("Compatible servers"),
    ids: ["custom", "gateway", "ollama", "vllm", "llamacpp", "lmstudio", "rerank", "demo"],
  },
];
const others = phrase("More providers");
const later: typeof groups = [
  {
    title: phrase("Cloud platforms"),
    ids: ["azure-v1", "azure-foundry", "azure-databricks", "azure-speech", "cloudflare", "nvidia"],
  },
  {
    title: phrase("Images, video and music"),
    ids: ["midjourney", "suno", "kling", "flux", "ideogram", "recraft", "replicate", "stability"],
  },
  { title: phrase("Discontinued"), ids: ["github", "palm", "tencent"] },
];

/** Returns the providers by group. The groups that are needed rarely are at the end. */
export function groupProviders(providers: readonly ProviderInfo[]): [title: string, ProviderInfo[]][] {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  const pick = ({ title, ids }: (typeof groups)[number]): [string, ProviderInfo[]] => [
    title,
    ids.flatMap((id) => byId.get(id) ?? []),
  ];
  const groupedIds = new Set([...groups, ...later].flatMap(({ ids }) => ids));
  const rest = providers.filter(({ id }) => !groupedIds.has(id));
  return [...groups.map(pick), [others, rest] as [string, ProviderInfo[]], ...later.map(pick)].filter(
    ([, members]) => members.length > 0,
  );
}
