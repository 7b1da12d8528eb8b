import { TokenQuery } from "@gateway/shared/accounts/token";
import { UserQuery } from "@gateway/shared/accounts/user";
/** Channels, users and tokens whose names hold what was typed, for ⌘K. */
import { ChannelQuery } from "@gateway/shared/channels/channel";
import { useDebouncedValue } from "@mantine/hooks";
import type { SpotlightActionGroupData } from "@mantine/spotlight";
import { IconKey, IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { ProviderIcon } from "#components/provider-icon.tsx";
import { channelListQuery, providersQuery } from "#features/channels/api.ts";
import { tokensQuery } from "#lib/queries/tokens.ts";
import { usersQuery } from "#lib/queries/users.ts";
import { useMayEnter } from "#lib/session.ts";

const shortest = 2;
const longest = 100;
const most = 5;

export function useFound(typed: string): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [settled] = useDebouncedValue(typed.trim().slice(0, longest), 200);
  const requested = settled.length >= shortest;
  const findsChannels = useMayEnter("channels") && requested;
  const findsUsers = useMayEnter("users") && requested;
  const query = { keyword: settled, size: most };
  const channels = useQuery({
    ...channelListQuery(ChannelQuery.parse(query)),
    enabled: findsChannels,
    refetchInterval: false,
    placeholderData: undefined,
  });
  const providers = useQuery({ ...providersQuery, enabled: findsChannels }).data;
  const users = useQuery({
    ...usersQuery(UserQuery.parse(query)),
    enabled: findsUsers,
    placeholderData: undefined,
  });
  const tokens = useQuery({
    ...tokensQuery(TokenQuery.parse(query)),
    enabled: requested,
    placeholderData: undefined,
  });

  const group = (
    title: string,
    screen: string,
    rows: { id: number; name: string; note?: string; icon: ReactNode }[] | undefined,
  ): SpotlightActionGroupData => ({
    group: title,
    actions: (rows ?? []).map((row) => ({
      id: `${screen}-${row.id}`,
      label: row.name,
      description: row.note,
      leftSection: row.icon,
      onClick: () => void navigate(`/panel/${screen}?keyword=${encodeURIComponent(row.name)}`),
    })),
  });
  return [
    group(
      t("Channels"),
      "channel",
      channels.data?.data.map((row) => {
        const providerName = providers?.find((provider) => provider.type === row.type);
        return {
          id: row.id,
          name: row.name,
          note: providerName?.label,
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
      })),
    ),
    group(
      t("Tokens"),
      "token",
      tokens.data?.data.map((row) => ({
        id: row.id,
        name: row.name,
        icon: <IconKey size={18} stroke={1.7} />,
      })),
    ),
  ].filter((each) => each.actions.length > 0);
}
