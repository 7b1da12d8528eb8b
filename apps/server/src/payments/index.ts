import type { PaymentType } from "@gateway/shared/billing/payment-config";
import { alipayAt } from "./alipay.ts";
import { epay } from "./epay.ts";
import type { PaymentGateway } from "./gateway.ts";
import { stripeAt } from "./stripe.ts";
import { wxpayAt } from "./wxpay.ts";

/** Registry with one line per payment gateway. */
export type PaymentGateways = Readonly<Record<PaymentType, PaymentGateway>>;

/** Creates the registry. @param at addresses that replace the real ones */
export function openPaymentGateways(at: { alipay?: string; wxpay?: string; stripe?: string } = {}) {
  return {
    epay: epay(),
    alipay: alipayAt(at.alipay),
    wxpay: wxpayAt(at.wxpay),
    stripe: stripeAt(at.stripe),
  } satisfies PaymentGateways;
}
