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
 * Payment gateways, one record each: how an order is opened, and what counts as the word that it was paid. This room
 * speaks their wires; it must never know our orders, balances or database.
 */
export interface PaymentGateway {
  id: PaymentType;
  label: string;
  /** An issue per field that cannot work. */
  problemsOf(config: Record<string, string>): Record<string, FieldIssue>;
  /** One merchant's account. Throws `internal` for a config that has problems. */
  connect(config: Record<string, string>, world: World): PaymentClient;
}

/** Handed in, so that the room itself opens no connection and reads no clock of its own. */
export interface World {
  fetch: typeof globalThis.fetch;
  now(): Date;
}

export interface PaymentClient {
  /** Throws `upstream_failed` or `upstream_refused`. */
  open(order: OrderToPay): Promise<OpenedPayment>;
  /** Undefined: genuine, but not the news of a payment. Throws `forbidden` for what the gateway did not sign. */
  verify(notice: PaymentNotice): Promise<Payment | undefined>;
  /** Undefined: not paid (yet). Missing where the gateway cannot be asked in a way that can be trusted. */
  query?(order: OpenOrder): Promise<Payment | undefined>;
  /** What it wants to hear. */
  reply: { taken: Reply; refused: Reply };
}

export interface OpenOrder {
  tradeNo: string;
  /** What `open` answered; "" when nothing. */
  session: string;
}

export interface OrderToPay {
  tradeNo: string;
  /** Hundredths of `currency`. */
  cents: bigint;
  currency: PaymentCurrency;
  /** What the payer reads. */
  title: string;
  notifyUrl: string;
  /** Where the payer's browser goes afterwards. */
  returnUrl: string;
  expiresAt: Date;
  /** "" = unknown. */
  email: string;
}

export interface OpenedPayment {
  /** `link`: a page to open. `qr`: what a code says that the payer scans. */
  kind: "link" | "qr";
  url: string;
  /** The gateway's own name for the attempt, where `query` needs it. */
  session?: string;
}

/** What came in at our address, whoever sent it. */
export interface PaymentNotice {
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** Without the question mark, as it was sent. */
  query: string;
  body: string;
}

export interface Payment {
  tradeNo: string;
  /** The gateway's number of the payment. */
  gatewayNo: string;
  cents: bigint;
  /** Undefined where the wire does not say: the gateway knows one money only. */
  currency: string | undefined;
}

export interface Reply {
  status: number;
  type: string;
  body: string;
}

/** A record from what only its file knows. */
export function definePayment<T extends PaymentType>(record: {
  id: T;
  label: string;
  /** What its schema cannot know. */
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

/** A payment whose every value is of the expected form. Throws `forbidden` otherwise. */
export function checkedPayment(values: Record<keyof Payment, unknown>): Payment {
  const parsed = PaymentValues.safeParse(values);
  if (parsed.success) return parsed.data;
  throw notGenuine(`its ${parsed.error.issues[0]?.path.join(".") ?? "content"} is missing or not valid`);
}

/** Not worth a credit. The reason is for the log; the sender hears that it was refused and nothing else. */
export function notGenuine(reason: string): GatewayError {
  return forbidden(
    { reason: "payment_notice_not_genuine" },
    {
      cause: new Error(reason),
    },
  );
}
