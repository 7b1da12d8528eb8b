/** Kinds of payment gateways, and the currencies of orders. */
export const paymentTypes = ["epay", "alipay", "wxpay", "stripe"] as const;

export const currencies = ["CNY", "USD"] as const;
