import { z } from "zod";
import { paymentTypes, currencies } from "#billing/payment-types.ts";
import { because } from "#errors/issue.ts";
export { paymentTypes, currencies } from "#billing/payment-types.ts";

/**
 * Configuration fields of each kind of payment gateway. The server validates them, and the console builds its
 * form from them.
 */

export const PaymentType = z.enum(paymentTypes);
export type PaymentType = z.infer<typeof PaymentType>;

const short = z.string().trim().max(200);
const pem = z.string().trim().max(8_000);
const requiredText = <T extends z.ZodString>(text: T) => text.min(1, because("value_required"));
/** Gateways sign this value without encoding it, so it must not contain a separator. */
const account = short.regex(/^[\w.:-]+$/, because("account_characters"));
const address = short.regex(/^https?:\/\/[^\s/?#][^\s?#]*$/i, because("http_address"));

export const paymentConfigs = {
  epay: z.object({
    /** Address that contains the gateway's `submit.php`. */
    pay_domain: address,
    partner_id: requiredText(account),
    key: requiredText(short),
    /** "" lets users choose on the gateway's page. */
    pay_type: z.enum(["", "alipay", "wxpay", "qqpay", "jdpay", "bank", "paypal", "usdt"]).default(""),
  }),
  alipay: z.object({
    app_id: requiredText(account),
    /** The application's private key: PEM, or the base64 inside it. */
    private_key: requiredText(pem),
    /** Alipay's public key, not the application's. */
    public_key: requiredText(pem),
    pay_type: z.enum(["facepay", "pagepay", "wappay"]).default("facepay"),
    /** "" is the production address; the sandbox has another one. */
    api_address: z.union([z.literal(""), address]).default(""),
  }),
  wxpay: z.object({
    app_id: requiredText(short),
    mch_id: requiredText(short),
    mch_certificate_serial_number: requiredText(short),
    mch_private_key: requiredText(pem),
    mch_apiv3_key: short.regex(/^[!-~]{32}$/, because("api_v3_key")),
    /** "PUB_KEY_ID_…". When set, WeChat Pay signs with the key below instead of its certificates. */
    platform_key_id: short.default(""),
    platform_public_key: pem.default(""),
  }),
  stripe: z.object({
    secret_key: requiredText(short),
    /** "whsec_…". Empty until the webhook is created; until then every webhook event is rejected. */
    webhook_secret: short.default(""),
  }),
} as const;

export type PaymentConfigs = { [T in PaymentType]: z.infer<(typeof paymentConfigs)[T]> };

/** Write-only fields. Responses only contain whether they are set. */
export const paymentSecrets = {
  epay: ["key"],
  alipay: ["private_key"],
  wxpay: ["mch_private_key", "mch_apiv3_key"],
  stripe: ["secret_key", "webhook_secret"],
} as const satisfies { [T in PaymentType]: readonly (keyof PaymentConfigs[T])[] };

export const PaymentCurrency = z.enum(currencies);
export type PaymentCurrency = z.infer<typeof PaymentCurrency>;

/** Currencies that each kind of gateway supports. */
export const paymentCurrencies: Record<PaymentType, readonly PaymentCurrency[]> = {
  epay: ["CNY", "USD"],
  alipay: ["CNY"],
  wxpay: ["CNY"],
  stripe: ["USD", "CNY"],
};
