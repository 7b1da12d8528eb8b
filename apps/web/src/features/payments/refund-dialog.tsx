/** Deducts the credit of an order after its payment was refunded at the gateway. */
import { OrderRefund, type OrderRow } from "@gateway/shared/billing/order";
import { Button, Stack, Text, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatMoney } from "#lib/format/money.ts";
import { useFormat } from "#lib/format/quota.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { toast } from "#ui/toast.tsx";
import { useRefundOrder } from "./api.ts";

export function RefundDialog({ order, onClose }: { order: OrderRow; onClose: () => void }) {
  const { t } = useTranslation("payments");
  const format = useFormat();
  const refund = useRefundOrder();
  const form = useSchemaForm(OrderRefund, { reason: "" });
  return (
    <HelpModal help="payments#orders-and-refunds" opened onClose={onClose} title={t("Mark as refunded")}>
      <form
        noValidate
        onSubmit={form.onSubmit(({ reason }) =>
          refund.mutate(
            { id: order.id, reason },
            {
              onSuccess: () => {
                toast.success(t("Marked as refunded"));
                onClose();
              },
            },
          ),
        )}
      >
        <Stack>
          <Text>
            {t(
              "Refund {{amount}} at the payment gateway first. Here, {{credit}} is deducted from {{name}}'s balance.",
              {
                amount: formatMoney(order.order_amount, order.order_currency),
                credit: format.quota(order.quota),
                name: order.username,
              },
            )}
          </Text>
          <Text c="dimmed" fz="sm">
            {t("If the balance is no longer sufficient, nothing changes. This cannot be undone.")}
          </Text>
          <Textarea
            label={t("Reason")}
            description={t("Recorded in the user's log and in the ledger.")}
            autosize
            minRows={2}
            maxLength={300}
            data-autofocus
            {...form.getInputProps("reason")}
          />
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button type="submit" color="red" loading={refund.isPending}>
              {t("Reverse the credit")}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </HelpModal>
  );
}
