import type { ChannelBatchAnswer } from "@gateway/shared/channels/channel-batch";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { refreshChannels } from "#features/channels/api.ts";
import { faultText } from "#lib/errors/error-text.ts";
import { toast } from "#ui/toast.tsx";

/** Deletes many channels with one request, and reports how many, or the first failure. */
export function useChannelDeletion(deleteMany: () => Promise<ChannelBatchAnswer>) {
  const { t } = useTranslation("channels");
  const client = useQueryClient();
  return useMutation({
    mutationFn: deleteMany,
    onSuccess: ({ done, failed }) => {
      const [first] = failed;
      if (first) toast.error(t("Batch deletion failed with {{message}}", { message: faultText(t, first) }));
      else toast.success(t("{{count}} channels deleted", { count: done.length }));
      return refreshChannels(client);
    },
  });
}
