import { createHmac } from "node:crypto";
import { z } from "zod";
import { ask, paymentError, readJson, unreachable } from "./ask.ts";
import { checkedPayment, definePayment, notGenuine, type Payment, type PaymentGateway } from "./gateway.ts";
import { refuseQuery } from "./notice-form.ts";
import { sameText } from "./signing.ts";

/** Stripe Checkout: a hosted page per order; webhooks signed with HMAC-SHA256. */
const label = "Stripe";
const VERSION = "2024-09-30.acacia";
/** Maximum age of a webhook, in seconds. */
const TOLERANCE = 300;
/** Minimum lifetime of a session in milliseconds: Stripe keeps one open for at least half an hour. */
const LEAST_MS = 31 * 60_000;

const Session = z.object({
  id: z.string(),
  payment_status: z.string(),
  amount_total: z.int().nullable(),
  currency: z.string().nullable(),
  client_reference_id: z.string().nullish(),
  payment_intent: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const Opened = z.object({ id: z.string(), url: z.string() });
const Event = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) });
const Refusal = z.object({ error: z.object({ code: z.string().optional(), type: z.string().optional() }) });

/** Events of a payment: completed at once, or days later with a slow payment method. */
const news = new Set(["checkout.session.completed", "checkout.session.async_payment_succeeded"]);

export function stripeAt(base = "https://api.stripe.com"): PaymentGateway {
  return definePayment({
    id: "stripe",
    label,
    connect({ secret_key, webhook_secret }, world) {
      const headers = { authorization: `Bearer ${secret_key}`, "stripe-version": VERSION };
      return {
        async open(order) {
          const expires = Math.max(order.expiresAt.getTime(), world.now().getTime() + LEAST_MS);
          const form = new URLSearchParams({
            mode: "payment",
            client_reference_id: order.tradeNo,
            "metadata[order]": order.tradeNo,
            "payment_intent_data[metadata][order]": order.tradeNo,
            "line_items[0][quantity]": "1",
            "line_items[0][price_data][currency]": order.currency.toLowerCase(),
            "line_items[0][price_data][unit_amount]": String(order.cents),
            "line_items[0][price_data][product_data][name]": order.title,
            success_url: order.returnUrl,
            cancel_url: order.returnUrl,
            expires_at: String(Math.floor(expires / 1000)),
            ...(order.email === "" ? {} : { customer_email: order.email }),
          });
          const answer = await ask(world, {
            label,
            method: "POST",
            url: `${base}/v1/checkout/sessions`,
            headers: {
              ...headers,
              "content-type": "application/x-www-form-urlencoded",
              "idempotency-key": order.tradeNo,
            },
            body: form.toString(),
          });
          const body = readJson(answer.text);
          if (answer.status !== 200) throw paymentError(label, reasonOf(answer.status, body));
          const opened = Opened.safeParse(body);
          if (!opened.success) throw unreachable(label, "an answer that is no session");
          return { kind: "link", url: opened.data.url, session: opened.data.id };
        },

        async verify({ headers: sent, query, body }) {
          refuseQuery({ query });
          // Anyone can sign with an empty secret.
          if (webhook_secret === "") throw notGenuine("no webhook secret is set");
          checkSignature(sent["stripe-signature"] ?? "", body, webhook_secret, world.now());
          const event = Event.safeParse(readJson(body));
          if (!event.success || !news.has(event.data.type)) return undefined;
          const session = Session.safeParse(event.data.data.object);
          return session.success ? paymentOf(session.data) : undefined;
        },

        async query({ tradeNo, session }) {
          if (session === "") return undefined;
          const url = `${base}/v1/checkout/sessions/${encodeURIComponent(session)}`;
          const answer = await ask(world, { label, method: "GET", url, headers });
          const body = readJson(answer.text);
          if (answer.status !== 200) throw paymentError(label, reasonOf(answer.status, body));
          const found = Session.safeParse(body);
          const payment = found.success ? paymentOf(found.data) : undefined;
          return payment?.tradeNo === tradeNo ? payment : undefined;
        },

        reply: {
          taken: { status: 200, type: "text/plain", body: "ok" },
          refused: { status: 400, type: "text/plain", body: "refused" },
        },
      };
    },
  });
}

/** Returns undefined for unpaid sessions, and for sessions of other programs on the same account. */
function paymentOf(session: z.infer<typeof Session>): Payment | undefined {
  const tradeNo = session.metadata?.["order"];
  if (session.payment_status !== "paid" || tradeNo === undefined) return undefined;
  if (tradeNo !== session.client_reference_id || session.amount_total === null) return undefined;
  return checkedPayment({
    tradeNo,
    gatewayNo: session.payment_intent ?? session.id,
    cents: BigInt(session.amount_total),
    // Never undefined: Stripe reports a currency, so it must be ours.
    currency: session.currency?.toUpperCase() ?? "",
  });
}

function checkSignature(header: string, body: string, secret: string, now: Date): void {
  const parts = header.split(",").map((part) => part.trim().split("=", 2));
  const time = parts.find(([name]) => name === "t")?.[1] ?? "";
  const age = Math.abs(now.getTime() / 1000 - Number(time));
  if (!/^\d+$/.test(time) || age > TOLERANCE) throw notGenuine("it is too old, or says no time");
  const expected = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const matches = parts.some(([name, value = ""]) => name === "v1" && sameText(value, expected));
  if (!matches) throw notGenuine("the signature is wrong");
}

function reasonOf(status: number, body: unknown): string {
  const error = Refusal.safeParse(body).data?.error;
  return `status ${status} ${error?.code ?? error?.type ?? ""}`.trim();
}
