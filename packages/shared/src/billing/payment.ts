import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Page, PageQuery, UnixTime } from "#paging.ts";
import { SiteAddress } from "#site/formats/site-address.ts";
import { paymentCurrencies, PaymentCurrency, PaymentType } from "./payment-config.ts";

/** Icons that the console includes. Any other value of `icon` is an address. */
export const paymentIcons = ["card", "alipay", "wxpay", "stripe", "paypal", "wallet", "coin"] as const;

const pictureAddress = /^(https?:\/\/[^\s/]\S*|\/[^/\s]\S*)$/i;

const fee = z.number(because("number_from_zero")).min(0, because("fee_negative"));

const values = {
  name: z.string().trim().min(1, because("name_required")).max(100),
  /** One of `paymentIcons`, or the address of an image. */
  icon: z
    .string()
    .trim()
    .min(1, because("icon_choose"))
    .max(300)
    .refine(
      (text) =>
        text === "" || (paymentIcons as readonly string[]).includes(text) || pictureAddress.test(text),
      because("icon_address"),
    ),
  /** Address for the gateway's payment notifications, when it differs from the server address. */
  notify_domain: SiteAddress.default(""),
  currency: PaymentCurrency,
  /** US dollars per order. */
  fixed_fee: fee.max(10_000, because("fee_too_large")).multipleOf(0.01, because("decimals_2")).default(0),
  /** 0.05 = 5 %. */
  percent_fee: fee.max(1, because("fee_share")).multipleOf(0.0001, because("decimals_4")).default(0),
  /** Higher values are listed first. */
  sort: z.int(because("number_whole")).min(0, because("position_negative")).max(1_000_000).default(1),
  enable: z.boolean().default(true),
};

/** An object. The older API sends it as JSON in a string. */
const config = z.preprocess(
  (given) => {
    if (typeof given !== "string") return given;
    try {
      return JSON.parse(given) as unknown;
    } catch {
      return undefined;
    }
  },
  z.record(z.string().max(64), z.string(because("text_required")).max(8_000)),
);

/**
 * Body of POST and PUT /api/payment. `config` is validated by the schema of its type. In a change, an empty
 * secret is unchanged.
 */
export const PaymentInput = z
  .object({ type: PaymentType, ...values, config })
  .superRefine((input, context) => {
    if (paymentCurrencies[input.type].includes(input.currency)) return;
    context.addIssue({
      code: "custom",
      path: ["currency"],
      message: because("currency_not_taken"),
    });
  });
export type PaymentInput = z.infer<typeof PaymentInput>;

/** Body of PUT /api/payment. Absent fields are unchanged. */
export const PaymentChange = z
  .object({
    type: PaymentType,
    ...values,
    notify_domain: values.notify_domain.unwrap(),
    fixed_fee: values.fixed_fee.unwrap(),
    percent_fee: values.percent_fee.unwrap(),
    sort: values.sort.unwrap(),
    enable: values.enable.unwrap(),
    config,
  })
  .partial();
export type PaymentChange = z.infer<typeof PaymentChange>;

/** The variant for a form, which always has an object. */
export const PaymentForm = z.object({
  type: PaymentType,
  ...values,
  config: z.record(z.string(), z.string()),
});
export type PaymentForm = z.input<typeof PaymentForm>;

/** Body of PATCH /api/payment/:id: the fields that the list itself changes. */
export const PaymentPatch = z
  .object({ enable: values.enable.unwrap(), sort: values.sort.unwrap() })
  .partial();
export type PaymentPatch = z.infer<typeof PaymentPatch>;

export const PaymentRow = z.object({
  id: z.int(),
  uuid: z.string(),
  type: PaymentType,
  name: z.string(),
  icon: z.string(),
  notify_domain: z.string(),
  /** Notification address to enter at gateways that require one. */
  notify_url: z.string(),
  currency: PaymentCurrency,
  fixed_fee: z.number(),
  percent_fee: z.number(),
  /** Without secrets. */
  config: z.record(z.string(), z.string()),
  secrets_set: z.array(z.string()),
  sort: z.int(),
  enable: z.boolean(),
  created_at: UnixTime,
});
export type PaymentRow = z.infer<typeof PaymentRow>;
export const PaymentPage = Page(PaymentRow);
export type PaymentPage = z.infer<typeof PaymentPage>;

/** "" means all. */
export const PaymentQuery = PageQuery.extend({
  name: z.string().trim().max(100).default(""),
  uuid: z.string().trim().max(36).default(""),
  type: z
    .union([z.literal(""), PaymentType])
    .catch("")
    .default(""),
  currency: z
    .union([z.literal(""), PaymentCurrency])
    .catch("")
    .default(""),
});
export type PaymentQuery = z.infer<typeof PaymentQuery>;

/** A payment method: GET /api/user/payment, highest `sort` first. */
export const PaymentChoice = z.object({
  uuid: z.string(),
  type: PaymentType,
  name: z.string(),
  icon: z.string(),
  fixed_fee: z.number(),
  percent_fee: z.number(),
  currency: PaymentCurrency,
  sort: z.int(),
});
export type PaymentChoice = z.infer<typeof PaymentChoice>;
