/** The dialog of an open order: payment instructions, and a status check every few seconds. */
import type { OpenedOrder, OrderStatus } from "@gateway/shared/billing/order";
import { Button, Group, Loader, Skeleton, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconCheck, IconExternalLink, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatMoney } from "#lib/format/money.ts";
import { useFormat } from "#lib/format/quota.ts";
import { LoadError } from "#ui/empty.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { QrCode } from "#ui/qr-code.tsx";
import { orderStateQuery, useCloseOrder } from "./api.ts";
import classes from "./top-up.module.css";

type PayDialogProps = {
  tradeNo: string;
  onClose: () => void;
};

export function PayDialog({ tradeNo, onClose }: PayDialogProps) {
  const { t } = useTranslation("top-up");
  const state = useQuery(orderStateQuery(tradeNo));
  const cancel = useCloseOrder();
  const status: OrderStatus = state.data?.status ?? "pending";
  const opened = state.data?.opened;

  return (
    <HelpModal
      help="payments"
      opened
      onClose={onClose}
      title={t("Top up")}
      size={420}
      closeOnClickOutside={false}
    >
      {state.error && !state.data ? (
        <LoadError error={state.error} onRetry={() => void state.refetch()} />
      ) : status === "success" ? (
        <PaidNotice points={state.data?.quota ?? 0} onClose={onClose} />
      ) : status === "pending" ? (
        <Stack align="center" gap="md">
          {opened ? (
            <HowToPay order={opened} />
          ) : state.data ? (
            <Text ta="center">
              {t(
                "This order can no longer be paid here. If you have paid, the payment is shown as soon as it arrives.",
              )}
            </Text>
          ) : (
            <Skeleton height={180} radius="md" />
          )}
          <Group gap="xs" role="status" justify="center">
            <Loader size={14} />
            <Text c="dimmed" fz="sm">
              {t("Waiting for the payment…")}
            </Text>
          </Group>
          <Text c="dimmed" fz="xs" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {tradeNo}
          </Text>
          <Button
            variant="subtle"
            color="gray"
            loading={cancel.isPending}
            onClick={() => void cancel.mutateAsync(tradeNo).then(onClose, () => state.refetch())}
          >
            {t("Cancel this order")}
          </Button>
        </Stack>
      ) : (
        <Stack align="center" gap="sm" py="md">
          <ThemeIcon size={52} radius="xl" variant="light" color="gray">
            <IconX size={26} />
          </ThemeIcon>
          <Text fw={600}>{t("This order is closed")}</Text>
          <Text c="dimmed" fz="sm" ta="center">
            {t("If you have already paid, the amount is credited when the payment arrives.")}
          </Text>
          <Button variant="default" onClick={onClose}>
            {t("Close")}
          </Button>
        </Stack>
      )}
    </HelpModal>
  );
}

function HowToPay({ order }: { order: OpenedOrder }) {
  const { t } = useTranslation("top-up");
  const amount = formatMoney(order.order_amount, order.order_currency);
  const { url } = order.data;
  const name = order.gateway_name;
  if (order.type === 1)
    return (
      <>
        <Amount amount={amount} name={name} />
        <Text c="dimmed" fz="sm" ta="center">
          {t("The payment page opens in a new tab. Come back when you are done.")}
        </Text>
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          size="md"
          fullWidth
          data-autofocus
          rightSection={<IconExternalLink size={17} />}
        >
          {t("Open the payment page")}
        </Button>
      </>
    );
  return (
    <>
      <Amount amount={amount} name={name} />
      <div className={classes.qr}>
        <QrCode text={url} size={220} label={t("Payment QR code")} />
      </div>
      <Text c="dimmed" fz="sm" ta="center">
        {t("Scan the code with the app you pay with.")}
      </Text>
      {url.startsWith("https:") ? (
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          variant="default"
          rightSection={<IconExternalLink size={16} />}
        >
          {t("Open the app on this device")}
        </Button>
      ) : null}
    </>
  );
}

function Amount({ amount, name }: { amount: string; name: string }) {
  return (
    <Stack gap={0} align="center">
      <Text className={classes.balance}>{amount}</Text>
      <Text c="dimmed" fz="sm">
        {name}
      </Text>
    </Stack>
  );
}

function PaidNotice({ points, onClose }: { points: number; onClose: () => void }) {
  const { t } = useTranslation("top-up");
  const format = useFormat();
  return (
    <Stack align="center" gap="sm" py="md" role="status">
      <ThemeIcon size={52} radius="xl" variant="light" color="green">
        <IconCheck size={28} />
      </ThemeIcon>
      <Text fw={600} fz="lg">
        {t("Payment received")}
      </Text>
      <Text c="dimmed" ta="center">
        {t("{{amount}} was added to your balance.", { amount: format.quota(points) })}
      </Text>
      <Button onClick={onClose} data-autofocus>
        {t("Done")}
      </Button>
    </Stack>
  );
}
