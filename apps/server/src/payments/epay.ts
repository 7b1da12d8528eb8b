import { createHash } from "node:crypto";
import { formatCents, parseCents } from "@gateway/shared/billing/order-price";
import { trimEndOf } from "@gateway/shared/trim-end";
import { z } from "zod";
import { ask, readJson, unreachable } from "./ask.ts";
import {
  checkedPayment,
  definePayment,
  notGenuine,
  type Payment,
  type PaymentGateway,
  type PaymentNotice,
} from "./gateway.ts";
import { noticeField, readNotice } from "./notice-form.ts";
import { sameText, signedText } from "./signing.ts";

/**
 * The protocol of many small payment sites: forms signed with MD5 over the sorted fields and the merchant's
 * key.
 */
const label = "Epay";

const text = z.union([z.string(), z.number()]).transform(String);
const Found = z.object({
  code: text,
  trade_no: text.optional(),
  out_trade_no: text.optional(),
  money: text.optional(),
  status: text.optional(),
});

/**
 * Fields of a notification. An order that we sign has other fields (`notify_url`, `return_url`). The protocol
 * uses one key in both directions, so this list prevents our own signature from being accepted as a
 * notification.
 */
const noticeFields = {
  pid: noticeField.id,
  trade_no: noticeField.id,
  out_trade_no: noticeField.id,
  money: noticeField.amount,
  trade_status: noticeField.word,
  sign: z.string().regex(/^[\da-f]{32}$/i),
  sign_type: z.literal("MD5").optional(),
  type: noticeField.word.or(z.literal("")).optional(),
  name: noticeField.text.optional(),
  param: noticeField.text.optional(),
  // Newer sites of this kind send more fields.
  api_trade_no: noticeField.text.optional(),
  buyer: noticeField.text.optional(),
  addtime: noticeField.text.optional(),
  endtime: noticeField.text.optional(),
  timestamp: noticeField.text.optional(),
} as const;

export function signatureOf(fields: Record<string, string | undefined>, key: string): string {
  return createHash("md5")
    .update(signedText(fields, ["sign", "sign_type"]) + key)
    .digest("hex");
}

export function epay(): PaymentGateway {
  return definePayment({
    id: "epay",
    label,
    connect({ pay_domain, partner_id, key, pay_type }, world) {
      const base = trimEndOf(pay_domain, "/");
      const client = {
        async open(order: {
          tradeNo: string;
          cents: bigint;
          title: string;
          notifyUrl: string;
          returnUrl: string;
        }) {
          const fields: Record<string, string> = {
            pid: partner_id,
            ...(pay_type === "" ? {} : { type: pay_type }),
            out_trade_no: order.tradeNo,
            notify_url: order.notifyUrl,
            return_url: order.returnUrl,
            name: order.title,
            money: formatCents(order.cents),
          };
          const signed = new URLSearchParams({
            ...fields,
            sign: signatureOf(fields, key),
            sign_type: "MD5",
          });
          return { kind: "link" as const, url: `${base}/submit.php?${signed.toString()}` };
        },

        async verify(notice: PaymentNotice) {
          const fields = readNotice(noticeFields, notice);
          if (!sameText(fields.sign.toLowerCase(), signatureOf(fields, key))) {
            throw notGenuine("the signature is wrong");
          }
          if (fields.pid !== partner_id) throw notGenuine("it is for another merchant");
          if (fields.trade_status !== "TRADE_SUCCESS") return undefined;
          return paymentOf(fields.out_trade_no, fields.trade_no, fields.money);
        },
        reply: {
          taken: { status: 200, type: "text/plain", body: "success" },
          refused: { status: 400, type: "text/plain", body: "fail" },
        },
      };
      // The response to a query is not signed: without TLS an attacker on the network could report "paid".
      if (!isSafe(base)) return client;
      return {
        ...client,
        async query({ tradeNo }: { tradeNo: string }) {
          const requested = new URLSearchParams({
            act: "order",
            pid: partner_id,
            key,
            out_trade_no: tradeNo,
          });
          const answer = await ask(world, {
            label,
            method: "GET",
            url: `${base}/api.php?${requested.toString()}`,
          });
          const found = Found.safeParse(readJson(answer.text));
          if (!found.success) throw unreachable(label, "an answer that is no order");
          const { code, status, out_trade_no, trade_no, money } = found.data;
          if (code !== "1" || status !== "1" || out_trade_no !== tradeNo) return undefined;
          return paymentOf(out_trade_no, trade_no, money);
        },
      };
    },
  });
}

function paymentOf(
  tradeNo: string | undefined,
  gatewayNo: string | undefined,
  money: string | undefined,
): Payment {
  return checkedPayment({ tradeNo, gatewayNo, cents: parseCents(money ?? ""), currency: undefined });
}

function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
