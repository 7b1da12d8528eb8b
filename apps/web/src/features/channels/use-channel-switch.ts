/** Enables or disables a channel, and offers to undo it. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { offerUndo } from "#ui/undo.tsx";
import { patchCachedRow, patchChannel, refreshChannels } from "./api.ts";

/** Name of a channel for `offerUndo` and `LastChange`. */
export const undoNameOf = (id: number) => `channel:${id}`;

export function useChannelSwitch({ id, name, status: before }: ChannelRow) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  return useMutation({
    mutationFn: (on: boolean) =>
      patchChannel(id, { status: on ? ChannelStatus.enabled : ChannelStatus.disabled }),
    onSuccess: (changed, on) => {
      patchCachedRow(client, id, () => changed);
      // The gateway disabled it for a reason. A person cannot restore that state.
      if (before !== ChannelStatus.enabled && before !== ChannelStatus.disabled) return;
      const message = on ? t("{{name}} is enabled", { name }) : t("{{name}} is disabled", { name });
      offerUndo(undoNameOf(id), message, async () => {
        await patchChannel(id, { status: before });
        await refreshChannels(client);
      });
    },
  });
}
