import { Button, Group } from "@mantine/core";
import { IconFlask2, IconPlus, IconRouteOff } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { connectDemo } from "#components/first-provider/connect-provider.ts";
import { EmptyRoute } from "#components/route/empty-route.tsx";
import { refreshChannels } from "#features/channels/api.ts";
import { useRunTest } from "#features/channels/runs/channel-tests.ts";
import { useMayChange } from "#lib/changes.ts";
import { useMayEnter } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { Empty } from "#ui/empty.tsx";
import { toast } from "#ui/toast.tsx";

/** The empty state of an installation without channels, with the two ways to add the first one. */
export function NoChannels({ onAdd }: { onAdd: () => void }) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const site = useSite();
  const mayEnable = useMayEnter("settings", "edit");
  const demo = site?.demo_upstream === true || (site?.demo_offered === true && mayEnable);
  const runTest = useRunTest();
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: async () => (await connectDemo()).channel,
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
              onClick={() => add.mutate()}
            >
              {t("Add the demo channel")}
            </Button>
          ) : null}
        </Group>
      }
    />
  );
}
