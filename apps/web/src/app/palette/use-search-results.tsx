/** Search results of the palette by name. */
import { useDebouncedValue } from "@mantine/hooks";
import type { SpotlightActionGroupData } from "@mantine/spotlight";
import { IconHelpCircle, IconKey, IconSettings, IconUser } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { channelListQuery } from "#features/channels/api.ts";
import { channelParams, tokenParams, userParams } from "#lib/address/list-queries.ts";
import { initialOf } from "#lib/address/params.ts";
import { currentLanguage, loadNamespaces } from "#lib/i18n.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { tokensQuery } from "#lib/queries/tokens.ts";
import { usersQuery } from "#lib/queries/users.ts";
import { useMayEnter } from "#lib/session.ts";
import { afterVerb } from "./after-verb.ts";
import { useModelResults } from "./use-model-results.tsx";

const shortest = 2;
const longest = 100;
const most = 5;

/**
 * Returns the settings, models, channels, users, tokens and pages of Help that match the query.
 * @param go opens an address of the console
 */
export function useSearchResults(
  typed: string,
  go: (to: string, label: string) => void,
): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const [settled] = useDebouncedValue(typed.trim().slice(0, longest), 200);
  const requested = settled.length >= shortest;
  const findsChannels = useMayEnter("channels") && requested;
  const findsUsers = useMayEnter("users") && requested;
  const inSettings = (text: string) => t(text, { ns: "settings" });
  const client = useQueryClient();
  const query = { keyword: settled, size: most };
  const mayRotate = useMayEnter("channels", "edit");
  const toRotate = mayRotate ? afterVerb(settled, ["rotate", t("Rotate")]) : undefined;
  const channels = useQuery({
    ...channelListQuery({ ...initialOf(channelParams), ...query, keyword: toRotate ?? settled }),
    enabled: findsChannels,
    refetchInterval: false,
    placeholderData: undefined,
  });
  const providers = useQuery({ ...providersQuery, enabled: findsChannels }).data;
  const users = useQuery({
    ...usersQuery({ ...initialOf(userParams), ...query }),
    enabled: findsUsers,
    placeholderData: undefined,
  });
  const tokens = useQuery({
    ...tokensQuery({ ...initialOf(tokenParams), ...query }),
    enabled: requested,
    placeholderData: undefined,
  });

  const models = useModelResults(requested ? settled : "", go);
  const language = currentLanguage();
  const settings = useQuery({
    queryKey: ["palette", "settings", language],
    queryFn: async () => {
      const [{ findSettings }] = await Promise.all([
        import("./setting-entries.ts"),
        loadNamespaces("settings"),
      ]);
      return (text: string) => findSettings(text, inSettings).slice(0, most);
    },
    enabled: useMayEnter("settings") && requested,
    staleTime: Infinity,
  });

  const help = useQuery({
    queryKey: ["palette", "help", language],
    // Loaded with the first search, so that the frame includes neither the index nor its search.
    queryFn: async () => {
      const [{ helpIndexQuery, helpLanguageOf }, { searchHelp }] = await Promise.all([
        import("#features/help/api.ts"),
        import("#features/help/search.ts"),
      ]);
      const index = await client.ensureQueryData(helpIndexQuery(helpLanguageOf(language)));
      return (text: string) => searchHelp(index, text).slice(0, most);
    },
    enabled: requested,
    staleTime: Infinity,
  });

  // The delayed text is the previous one for a moment after the field was emptied.
  if (typed.trim() === "") return [];
  const group = (
    title: string,
    screen: string,
    rows: { id: number | string; name: string; note?: string; icon: ReactNode; to: string }[] | undefined,
  ): SpotlightActionGroupData => ({
    group: title,
    actions: (rows ?? []).map((row) => ({
      id: `${screen}-${row.id}`,
      label: row.name,
      description: row.note,
      leftSection: row.icon,
      onClick: () => go(row.to, row.name),
    })),
  });
  return [
    group(
      t("Settings"),
      "setting",
      settings.data?.(settled).map((one) => ({
        id: one.key,
        name: inSettings(one.label),
        note: inSettings(one.section),
        icon: <IconSettings size={18} stroke={1.7} />,
        // The key of the setting finds it in every language.
        to: `/panel/setting?q=${encodeURIComponent(one.key)}`,
      })),
    ),
    { group: t("Models"), actions: models },
    group(
      t("Channels"),
      "channel",
      channels.data?.data.map((row) => {
        const providerName = providers?.find((provider) => provider.type === row.type);
        return {
          id: row.id,
          name: toRotate === undefined ? row.name : t("Rotate the key of {{name}}", { name: row.name }),
          note: providerName?.label,
          to: `/panel/channel?${toRotate === undefined ? "edit" : "rotate"}=${row.id}`,
          icon: <ProviderIcon name={providerName?.icon ?? ""} size={18} />,
        };
      }),
    ),
    group(
      t("Users"),
      "user",
      users.data?.data.map((row) => ({
        id: row.id,
        name: row.username,
        note: row.display_name === row.username ? undefined : row.display_name,
        icon: <IconUser size={18} stroke={1.7} />,
        to: `/panel/user?user=${row.id}`,
      })),
    ),
    group(
      t("Tokens"),
      "token",
      tokens.data?.data.map((row) => ({
        id: row.id,
        name: row.name,
        icon: <IconKey size={18} stroke={1.7} />,
        to: `/panel/token?edit=${row.id}`,
      })),
    ),
    group(
      t("Help"),
      "help",
      help.data?.(settled).map((hit) => ({
        id: `${hit.page}#${hit.anchor}`,
        name: hit.title,
        note: hit.note,
        icon: <IconHelpCircle size={18} stroke={1.7} />,
        to: `/panel/help/${hit.page}${hit.anchor && `#${hit.anchor}`}`,
      })),
    ),
  ].filter((each) => each.actions.length > 0);
}
