/** Enables or disables a group, and offers to undo it. */
import type { UserGroupDetail } from "@gateway/shared/channels/group";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { offerUndo } from "#ui/undo.tsx";
import { switchGroup, useRefresh } from "./api.ts";

export function useGroupSwitch({ id, name }: Pick<UserGroupDetail, "id" | "name">) {
  const { t } = useTranslation("groups");
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (enable: boolean) => switchGroup(id, enable),
    // Before the new list, which may not have the row.
    onSuccess: ({ enable }) => {
      const message = enable ? t("{{name}} is enabled", { name }) : t("{{name}} is disabled", { name });
      offerUndo(`group:${id}`, message, async () => {
        await switchGroup(id, !enable);
        await refresh();
      });
    },
    onSettled: refresh,
  });
}
