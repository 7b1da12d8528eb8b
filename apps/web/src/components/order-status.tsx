/** The status of an order: a dot and a word. */
import type { OrderStatus as Status } from "@gateway/shared/billing/order";
import { useTranslation } from "react-i18next";
import { phrase } from "#lib/i18n.ts";
import { StatusDot, type Tone } from "#ui/status-dot.tsx";

/** Titles are translated when displayed. */
export const orderStatuses: Record<Status, { title: string; tone: Tone }> = {
  pending: { title: phrase("Waiting for payment"), tone: "accent" },
  success: { title: phrase("Paid"), tone: "good" },
  failed: { title: phrase("Failed"), tone: "bad" },
  refunded: { title: phrase("Refunded"), tone: "warn" },
  closed: { title: phrase("Order closed"), tone: "idle" },
};

export function OrderStatus({ status }: { status: Status }) {
  const { t } = useTranslation();
  const { title, tone } = orderStatuses[status];
  return <StatusDot tone={tone}>{t(title)}</StatusDot>;
}
