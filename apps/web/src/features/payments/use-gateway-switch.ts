/** Enables or disables a payment gateway, and offers to undo it. */
import type { PaymentRow } from "@gateway/shared/billing/payment";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { offerUndo } from "#ui/undo.tsx";
import { patchGateway, useRefresh } from "./api.ts";

export function useGatewaySwitch({ id, name }: Pick<PaymentRow, "id" | "name">) {
  const { t } = useTranslation("payments");
  const refresh = useRefresh();
  const change = (enable: boolean) => patchGateway(id, { enable });
  return useMutation({
    mutationFn: change,
    // Before the new list, which may not have the row.
    onSuccess: (_, enable) => {
      const message = enable ? t("{{name}} is enabled", { name }) : t("{{name}} is disabled", { name });
      offerUndo(`payment-gateway:${id}`, message, async () => {
        await change(!enable);
        await refresh();
      });
    },
    onSettled: refresh,
  });
}
