/** Reports that a channel was saved. One that is disabled still serves no calls: the message has a button that enables it. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { toast } from "#ui/toast.tsx";
import { patchChannel, refreshChannels } from "./api.ts";
import { undoNameOf } from "./use-channel-switch.ts";

export function useSavedMessage(): (saved: ChannelRow, message: string) => void {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  const { mutate: enable } = useMutation({
    mutationFn: (id: number) => {
      toast.close(undoNameOf(id));
      return patchChannel(id, { status: ChannelStatus.enabled });
    },
    onSuccess: ({ name }) => {
      toast.success(t("{{name}} is enabled", { name }));
      return refreshChannels(client);
    },
  });
  return ({ id, status }, message) => {
    if (status === ChannelStatus.enabled) return toast.success(message);
    toast.offer(
      undoNameOf(id),
      <>
        {message}
        <Group gap="sm">
          {t("The channel is still disabled.")}
          <Button size="compact-xs" variant="light" onClick={() => enable(id)}>
            {t("Enable")}
          </Button>
        </Group>
      </>,
    );
  };
}
