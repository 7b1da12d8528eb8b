import { formatCents, parseCents } from "@gateway/shared/billing/order-price";
import { z } from "zod";
import { ask, paymentError, readJson, unreachable } from "./ask.ts";
import {
  checkedPayment,
  definePayment,
  notGenuine,
  type OrderToPay,
  type PaymentGateway,
} from "./gateway.ts";
import { noticeField, readNotice, refuseQuery } from "./notice-form.ts";
import { isSignedRsa, keyProblems, privateKeyOf, publicKeyOf, signedText, signRsa } from "./signing.ts";

/** Alipay's open platform with RSA2: both sides sign every message with their own key. */
const label = "Alipay";
const PAID = new Set(["TRADE_SUCCESS", "TRADE_FINISHED"]);

const Outcome = z.object({ code: z.string(), msg: z.string().optional(), sub_code: z.string().optional() });
const Precreated = Outcome.extend({ qr_code: z.string() });
const Trade = Outcome.extend({
  trade_no: z.string(),
  out_trade_no: z.string(),
  trade_status: z.string(),
  total_amount: z.string(),
});

const { id, amount, word, text } = noticeField;

/** Fields of a trade notification: https://opendocs.alipay.com/open/270/105902 */
const noticeFields = {
  app_id: id,
  trade_no: id,
  out_trade_no: id,
  trade_status: word,
  total_amount: amount,
  sign: z.string().regex(/^[A-Za-z\d+/]{1,1000}={0,2}$/),
  sign_type: z.literal("RSA2"),
  charset: word.optional(),
  version: id.optional(),
  notify_time: text.optional(),
  notify_type: word.optional(),
  notify_id: text.optional(),
  auth_app_id: text.optional(),
  out_biz_no: text.optional(),
  buyer_id: text.optional(),
  buyer_open_id: text.optional(),
  buyer_logon_id: text.optional(),
  seller_id: text.optional(),
  seller_email: text.optional(),
  receipt_amount: amount.optional(),
  invoice_amount: amount.optional(),
  buyer_pay_amount: amount.optional(),
  point_amount: amount.optional(),
  mdiscount_amount: amount.optional(),
  discount_amount: amount.optional(),
  refund_fee: amount.optional(),
  send_back_fee: amount.optional(),
  subject: text.optional(),
  body: text.optional(),
  gmt_create: text.optional(),
  gmt_payment: text.optional(),
  gmt_refund: text.optional(),
  gmt_close: text.optional(),
  fund_bill_list: text.optional(),
  voucher_detail_list: text.optional(),
  passback_params: text.optional(),
  biz_settle_mode: text.optional(),
} as const;

/** Alipay's method and product code of each way to pay. */
const methods = {
  pagepay: { method: "alipay.trade.page.pay", product_code: "FAST_INSTANT_TRADE_PAY" },
  wappay: { method: "alipay.trade.wap.pay", product_code: "QUICK_WAP_WAY" },
} as const;

/**
 * Creates the gateway record. @param base default address of the platform; a merchant may configure the
 * sandbox
 */
export function alipayAt(base = "https://openapi.alipay.com/gateway.do"): PaymentGateway {
  return definePayment({
    id: "alipay",
    label,
    problemsOf: ({ private_key, public_key }) =>
      keyProblems({
        private_key: { text: private_key, kind: "private" },
        public_key: { text: public_key, kind: "public" },
      }),
    connect({ app_id, private_key, public_key, pay_type, api_address }, world) {
      const api = api_address || base;
      const own = privateKeyOf(private_key);
      const theirs = publicKeyOf(public_key);

      function signRequest(
        method: string,
        content: object,
        more: Record<string, string> = {},
      ): URLSearchParams {
        const fields = {
          app_id,
          method,
          format: "JSON",
          charset: "utf-8",
          sign_type: "RSA2",
          timestamp: beijingTime(world.now()),
          version: "1.0",
          ...more,
          biz_content: JSON.stringify(content),
        };
        return new URLSearchParams({ ...fields, sign: signRsa(signedText(fields, ["sign"]), own) });
      }

      /** Returns the inner response, after its signature was checked over the exact characters received. */
      async function call(method: string, content: object, more?: Record<string, string>): Promise<unknown> {
        const answer = await ask(world, {
          label,
          method: "POST",
          url: `${api}?charset=utf-8`,
          headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
          body: signRequest(method, content, more).toString(),
        });
        const raw = objectAfter(answer.text, `"${method.replaceAll(".", "_")}_response"`);
        const sign = z.object({ sign: z.string() }).safeParse(readJson(answer.text));
        if (raw === undefined) throw unreachable(label, "an answer in an unknown form");
        const inner = Outcome.safeParse(readJson(raw));
        if (!sign.success || !isSignedRsa(raw, sign.data.sign, theirs)) {
          // A refusal of the application itself is unsigned. It can only end the call.
          const why = inner.data?.sub_code ?? "the answer is not signed by Alipay";
          throw paymentError(label, why);
        }
        return readJson(raw);
      }

      function contentOf(order: OrderToPay): Record<string, string> {
        const minutes = Math.max(1, Math.floor((order.expiresAt.getTime() - world.now().getTime()) / 60_000));
        return {
          out_trade_no: order.tradeNo,
          total_amount: formatCents(order.cents),
          subject: order.title,
          timeout_express: `${minutes}m`,
        };
      }

      return {
        async open(order) {
          const content = contentOf(order);
          if (pay_type === "facepay") {
            const more = { notify_url: order.notifyUrl };
            const answer = Precreated.safeParse(await call("alipay.trade.precreate", content, more));
            if (!answer.success || answer.data.code !== "10000") throw paymentError(label, "no code to scan");
            return { kind: "qr", url: answer.data.qr_code };
          }
          const { method, product_code } = methods[pay_type];
          const more = { notify_url: order.notifyUrl, return_url: order.returnUrl };
          return {
            kind: "link",
            url: `${api}?${signRequest(method, { ...content, product_code }, more).toString()}`,
          };
        },

        async verify(notice) {
          refuseQuery(notice);
          const fields = readNotice(noticeFields, notice);
          if (!isSignedRsa(signedText(fields, ["sign", "sign_type"]), fields.sign, theirs)) {
            throw notGenuine("the signature is wrong");
          }
          if (fields.app_id !== app_id) throw notGenuine("it is for another application");
          // A refund is reported in the same way, with the status of its trade.
          const refund = fields.refund_fee !== undefined || fields.gmt_refund !== undefined;
          if (refund || !PAID.has(fields.trade_status)) return undefined;
          return paymentOf(fields.out_trade_no, fields.trade_no, fields.total_amount);
        },

        async query({ tradeNo }) {
          const answer = Trade.safeParse(await call("alipay.trade.query", { out_trade_no: tradeNo }));
          if (!answer.success || answer.data.code !== "10000") return undefined;
          const { trade_status, out_trade_no, trade_no, total_amount } = answer.data;
          if (!PAID.has(trade_status) || out_trade_no !== tradeNo) return undefined;
          return paymentOf(out_trade_no, trade_no, total_amount);
        },

        reply: {
          taken: { status: 200, type: "text/plain", body: "success" },
          refused: { status: 400, type: "text/plain", body: "failure" },
        },
      };
    },
  });
}

function paymentOf(tradeNo: string | undefined, gatewayNo: string | undefined, amount: string | undefined) {
  return checkedPayment({ tradeNo, gatewayNo, cents: parseCents(amount ?? ""), currency: "CNY" });
}

/** Formats a time as 2026-11-21 15:04:05, at UTC+8. */
function beijingTime(instant: Date): string {
  return new Date(instant.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the JSON object that follows a name, exactly as it was sent. */
function objectAfter(text: string, name: string): string | undefined {
  const start = text.indexOf("{", text.indexOf(name) + name.length);
  if (!text.includes(name) || start < 0) return undefined;
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return text.slice(start, at + 1);
    }
  }
  return undefined;
}
