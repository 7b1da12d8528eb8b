import {
  type PaymentConfigs,
  paymentConfigs,
  type PaymentCurrency,
  type PaymentType,
} from "@gateway/shared/billing/payment-config";
import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import { z } from "zod";
import { forbidden, type GatewayError, internalError } from "#errors.ts";

/**
 * Payment gateways, one record each: how an order is opened, and how a payment is verified. This module
 * implements their wire formats. It must never know our orders, balances or database.
 */
export interface PaymentGateway {
  id: PaymentType;
  label: string;
  /** Returns an issue per invalid field. */
  problemsOf(config: Record<string, string>): Record<string, FieldIssue>;
  /** Creates the client of one merchant's account. Throws `internal` for an invalid config. */
  connect(config: Record<string, string>, world: World): PaymentClient;
}

/** Passed in, so that this module itself opens no connection and reads no clock. */
export interface World {
  fetch: typeof globalThis.fetch;
  now(): Date;
}

export interface PaymentClient {
  /** Opens an order. Throws `upstream_failed` or `upstream_refused`. */
  open(order: OrderToPay): Promise<OpenedPayment>;
  /**
   * Verifies a notification. Undefined: genuine, but not about a payment. Throws `forbidden` when the
   * signature is invalid.
   */
  verify(notice: PaymentNotice): Promise<Payment | undefined>;
  /** Queries an order. Undefined: not paid (yet). Missing where the gateway cannot be queried securely. */
  query?(order: OpenOrder): Promise<Payment | undefined>;
  /** Replies that the gateway expects to a notification. */
  reply: { taken: Reply; refused: Reply };
}

export interface OpenOrder {
  tradeNo: string;
  /** Session returned by `open`; "" when there is none. */
  session: string;
}

export interface OrderToPay {
  tradeNo: string;
  /** Amount in hundredths of `currency`. */
  cents: bigint;
  currency: PaymentCurrency;
  /** Title that the payer sees. */
  title: string;
  notifyUrl: string;
  /** Address to which the payer's browser returns. */
  returnUrl: string;
  expiresAt: Date;
  /** "" means unknown. */
  email: string;
}

export interface OpenedPayment {
  /** `link`: a page to open. `qr`: the content of a code that the payer scans. */
  kind: "link" | "qr";
  url: string;
  /** The gateway's id of the attempt, where `query` needs it. */
  session?: string;
}

/** A request to our notification address, from any sender. */
export interface PaymentNotice {
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** The raw query, without the question mark. */
  query: string;
  body: string;
}

export interface Payment {
  tradeNo: string;
  /** The gateway's number of the payment. */
  gatewayNo: string;
  cents: bigint;
  /** Undefined where the notification contains none, because the gateway has only one currency. */
  currency: string | undefined;
}

export interface Reply {
  status: number;
  type: string;
  body: string;
}

/** Completes a record from its gateway-specific parts. */
export function definePayment<T extends PaymentType>(record: {
  id: T;
  label: string;
  /** Returns issues that the schema cannot detect. */
  problemsOf?(config: PaymentConfigs[T]): Record<string, FieldIssue>;
  connect(config: PaymentConfigs[T], world: World): PaymentClient;
}): PaymentGateway {
  const parse = (config: Record<string, string>) => paymentConfigs[record.id].safeParse(config);
  return {
    id: record.id,
    label: record.label,
    problemsOf(config) {
      const parsed = parse(config);
      if (parsed.success) return record.problemsOf?.(parsed.data as PaymentConfigs[T]) ?? {};
      const problems: Record<string, FieldIssue> = {};
      for (const issue of parsed.error.issues) problems[issue.path.join(".")] ??= issueOf(issue, config);
      return problems;
    },
    connect(config, world) {
      const parsed = parse(config);
      if (parsed.success) return record.connect(parsed.data as PaymentConfigs[T], world);
      throw internalError(new Error("The settings of this payment gateway are not complete."));
    },
  };
}

const PaymentValues = z.object({
  tradeNo: z.string().regex(/^[\w-]{1,64}$/),
  gatewayNo: z.string().regex(/^[\w.:-]{1,100}$/),
  cents: z.bigint().min(1n).max(100_000_000_000_000n),
  currency: z.union([z.undefined(), z.string().regex(/^[A-Z]{3}$/)]),
});

/** Returns a payment whose values all have the expected form. Throws `forbidden` otherwise. */
export function checkedPayment(values: Record<keyof Payment, unknown>): Payment {
  const parsed = PaymentValues.safeParse(values);
  if (parsed.success) return parsed.data;
  throw notGenuine(`its ${parsed.error.issues[0]?.path.join(".") ?? "content"} is missing or not valid`);
}

/**
 * Error of a notification that must not be credited. The reason is only for the log; the sender gets a plain
 * refusal.
 */
export function notGenuine(reason: string): GatewayError {
  return forbidden(
    { reason: "payment_notice_not_genuine" },
    {
      cause: new Error(reason),
    },
  );
}
