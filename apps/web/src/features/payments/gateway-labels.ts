/** Labels of gateways and their settings. */
import type { paymentIcons } from "@gateway/shared/billing/payment";
import type { PaymentConfigs, PaymentType } from "@gateway/shared/billing/payment-config";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("payments");

/** Translated when displayed. */
export const typeTitles: Record<PaymentType, string> = {
  epay: phrase("Epay"),
  alipay: phrase("Alipay"),
  wxpay: phrase("WeChat Pay"),
  stripe: phrase("Stripe"),
};

export const iconTitles: Record<(typeof paymentIcons)[number], string> = {
  card: phrase("Bank card"),
  alipay: phrase("Alipay"),
  wxpay: phrase("WeChat Pay"),
  stripe: phrase("Stripe"),
  paypal: phrase("PayPal"),
  wallet: phrase("Wallet"),
  coin: phrase("Coin"),
};

export type ConfigField = {
  label: string;
  hint?: string;
  kind: "text" | "secret" | "key" | "secret-key" | "choice";
  choices?: { value: string; label: string }[];
};

/** Labels by type and field. A missing field of a schema is a compile error. */
export const configFields: { [T in PaymentType]: Record<keyof PaymentConfigs[T], ConfigField> } = {
  epay: {
    pay_domain: {
      label: phrase("Address of the payment site"),
      kind: "text",
      hint: phrase(
        "Without submit.php. Payments whose notification was lost can only be queried over https.",
      ),
    },
    partner_id: { label: phrase("Merchant ID (pid)"), kind: "text" },
    key: { label: phrase("Merchant key"), kind: "secret" },
    pay_type: {
      label: phrase("Payment method"),
      kind: "choice",
      choices: [
        { value: "", label: phrase("Customer chooses on the gateway's page") },
        { value: "alipay", label: phrase("Alipay") },
        { value: "wxpay", label: phrase("WeChat Pay") },
        { value: "qqpay", label: phrase("QQ Wallet") },
        { value: "jdpay", label: phrase("JD Pay") },
        { value: "bank", label: phrase("Bank card") },
        { value: "paypal", label: phrase("PayPal") },
        { value: "usdt", label: phrase("USDT") },
      ],
    },
  },
  alipay: {
    app_id: { label: phrase("Application ID"), kind: "text" },
    private_key: {
      label: phrase("Application private key"),
      kind: "secret-key",
      hint: phrase("RSA2, with or without the BEGIN and END lines."),
    },
    public_key: {
      label: phrase("Alipay public key"),
      kind: "key",
      hint: phrase("The public key of Alipay, not of your application."),
    },
    pay_type: {
      label: phrase("Payment method"),
      kind: "choice",
      choices: [
        { value: "facepay", label: phrase("QR code") },
        { value: "pagepay", label: phrase("Desktop page") },
        { value: "wappay", label: phrase("Mobile page") },
      ],
    },
    api_address: {
      label: phrase("API address"),
      kind: "text",
      hint: phrase("Leave it empty unless you use Alipay's sandbox."),
    },
  },
  wxpay: {
    app_id: { label: phrase("Application ID"), kind: "text" },
    mch_id: { label: phrase("Merchant number"), kind: "text" },
    mch_certificate_serial_number: {
      label: phrase("Merchant certificate serial number"),
      kind: "text",
    },
    mch_private_key: {
      label: phrase("Merchant private key"),
      kind: "secret-key",
      hint: phrase("The content of apiclient_key.pem."),
    },
    mch_apiv3_key: { label: phrase("APIv3 key"), kind: "secret", hint: phrase("32 characters.") },
    platform_key_id: {
      label: phrase("WeChat Pay public key ID"),
      kind: "text",
      hint: phrase(
        "Starts with PUB_KEY_ID_. Leave both public key fields empty to use platform certificates.",
      ),
    },
    platform_public_key: { label: phrase("WeChat Pay public key"), kind: "key" },
  },
  stripe: {
    secret_key: { label: phrase("Secret key"), kind: "secret", hint: phrase("sk_live_… or rk_live_…") },
    webhook_secret: {
      label: phrase("Signing secret of the webhook"),
      kind: "secret",
      hint: phrase("Starts with whsec_. Save first, then create the webhook with the URL below."),
    },
  },
};
