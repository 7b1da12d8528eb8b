/** The groups of the list of providers. A provider names its group (`GET /api/providers`). */
import type { ProviderGroup, ProviderInfo } from "@gateway/shared/channels/provider";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("channels");

/** English titles in the order of the list: groups that are needed rarely are at the end. */
const titles: Record<ProviderGroup, string> = {
  "most-used": phrase("Most used"),
  compatible: phrase("Compatible servers"),
  more: phrase("More providers"),
  cloud: phrase("Cloud platforms"),
  media: phrase("Images, video and music"),
  discontinued: phrase("Discontinued"),
};

/** During an upgrade, a node of an earlier version sends no group. */
const groupOf = ({ group }: ProviderInfo) => (Object.hasOwn(titles, group) ? group : "more");

/** Returns the providers by group, with the English title of the group. */
export function groupProviders(providers: readonly ProviderInfo[]): [title: string, ProviderInfo[]][] {
  return Object.entries(titles)
    .map(([group, title]): [string, ProviderInfo[]] => [
      title,
      providers.filter((provider) => groupOf(provider) === group),
    ])
    .filter(([, members]) => members.length > 0);
}
