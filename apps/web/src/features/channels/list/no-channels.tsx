import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { Button, Group } from "@mantine/core";
import { IconFlask2, IconPlus, IconRouteOff, IconSearchOff } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EmptyRoute } from "#components/route/empty-route.tsx";
import { groupsQuery, refreshChannels, saveChannel } from "#features/channels/api.ts";
import { useRunTest } from "#features/channels/runs/channel-tests.ts";
import { useMayChange } from "#lib/changes.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { Empty } from "#ui/empty.tsx";
import { toast } from "#ui/toast.tsx";

/** The empty state of an installation without channels, with the two ways to add the first one. */
export function NoChannels({ onAdd }: { onAdd: () => void }) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const demo = useQuery(providersQuery).data?.find((provider) => provider.id === "demo");
  const groups = useQuery(groupsQuery).data;
  const runTest = useRunTest();
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: ({ type, label, models }: ProviderInfo) => {
      const group = groups?.includes("default") ? "default" : (groups?.[0] ?? "default");
      return saveChannel(undefined, { type, name: label, models, groups: [group] });
    },
    // This component is unmounted as soon as the channel is in the list.
    onSuccess: async (row) => {
      toast.success(t("{{name}} is ready", { name: row.name }));
      await refreshChannels(client);
      await runTest(row.id);
      await refreshChannels(client);
    },
  });
  if (!mayChange) return <Empty icon={IconRouteOff} title={t("No channels yet")} />;
  return (
    <Empty
      picture={<EmptyRoute />}
      title={t("No channels yet")}
      hint={
        demo
          ? t(
              "A channel is an account at a provider. Add a channel with your API key, or start with the demo provider, which needs no key.",
            )
          : t("A channel is an account at a provider. Add a channel with your API key.")
      }
      action={
        <Group justify="center" gap="xs">
          <Button leftSection={<IconPlus size={16} />} onClick={onAdd}>
            {t("Add channel")}
          </Button>
          {demo ? (
            <Button
              variant="default"
              leftSection={<IconFlask2 size={16} />}
              loading={add.isPending}
              onClick={() => add.mutate(demo)}
            >
              {t("Add the demo channel")}
            </Button>
          ) : null}
        </Group>
      }
    />
  );
}

export function NoMatchingChannels({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation("channels");
  return (
    <Empty
      icon={IconSearchOff}
      title={t("No channel matches")}
      hint={t("Change or clear the filters.")}
      action={
        <Button variant="default" onClick={onClear}>
          {t("Clear filters")}
        </Button>
      }
    />
  );
}
