/** Enables or disables a redemption code, and offers to undo it. */
import type { RedemptionRow } from "@gateway/shared/billing/redemption";
import { RedemptionStatus } from "@gateway/shared/billing/redemption-status";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { offerUndo } from "#ui/undo.tsx";
import { patchCode, useRefresh } from "./api.ts";

export function useCodeSwitch({ id, name }: Pick<RedemptionRow, "id" | "name">) {
  const { t } = useTranslation("redemptions");
  const refresh = useRefresh();
  const change = (on: boolean) =>
    patchCode(id, { status: on ? RedemptionStatus.enabled : RedemptionStatus.disabled });
  return useMutation({
    mutationFn: change,
    // Before the new list, which may not have the row.
    onSuccess: (_, on) => {
      const code = `${name} #${id}`;
      const message = on
        ? t("{{name}} is enabled", { name: code })
        : t("{{name}} is disabled", { name: code });
      offerUndo(`redemption:${id}`, message, async () => {
        await change(!on);
        await refresh();
      });
    },
    onSettled: refresh,
  });
}
