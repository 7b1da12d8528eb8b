/** Messages for problems of an order. */
import type { OrderRow, OrderTrouble } from "@gateway/shared/billing/order";
import type { TFunction } from "i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("payments");

const labels: Record<OrderTrouble, string> = {
  not_opened: phrase("The payment gateway did not accept the order: {{reason}}"),
  unknown_order: phrase("There is no order with this number."),
  other_gateway: phrase("The order was opened with another gateway."),
  paid_twice: phrase("The order was paid twice. Refund the second payment at the payment gateway."),
  other_currency: phrase("Paid in {{paid}} instead of {{expected}}."),
  other_amount: phrase("Paid {{paid}} instead of {{expected}}."),
  payment_of_another_order: phrase("This payment belongs to another order."),
};

/**
 * Returns "" without a problem. Orders from before problem codes contain a sentence, which is shown as it is.
 */
export function troubleText(t: TFunction<"payments">, { trouble, trouble_facts }: OrderRow): string {
  const word: string | undefined = labels[trouble as OrderTrouble];
  return word === undefined ? trouble : t(word, trouble_facts);
}
