import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type PaymentResponse, ask, paymentError, readJson, unreachable } from "./ask.ts";
import { checkedPayment, definePayment, notGenuine, type Payment, type PaymentGateway } from "./gateway.ts";
import { refuseQuery } from "./notice-form.ts";
import { isSignedRsa, keyProblems, privateKeyOf, signRsa } from "./signing.ts";
import { createPlatformKeys, open, Sealed } from "./wxpay-keys.ts";

/** WeChat Pay, API v3, native: the payer scans a code. Both sides sign; notifications are also encrypted. */
const label = "WeChat Pay";
/** Maximum age of a signed message, in seconds. */
const TOLERANCE = 300;

const Opened = z.object({ code_url: z.string() });
const Refusal = z.object({ code: z.string() });
const Notice = z.object({ event_type: z.string(), resource: Sealed });
const Transaction = z.object({
  appid: z.string(),
  mchid: z.string(),
  out_trade_no: z.string(),
  transaction_id: z.string().optional(),
  trade_state: z.string(),
  amount: z.object({ total: z.int(), currency: z.string().default("CNY") }).optional(),
});

export function wxpayAt(base = "https://api.mch.weixin.qq.com"): PaymentGateway {
  const platformKeys = createPlatformKeys();
  return definePayment({
    id: "wxpay",
    label,
    problemsOf: ({ mch_private_key, platform_key_id, platform_public_key }) => {
      const problems = keyProblems({
        mch_private_key: { text: mch_private_key, kind: "private" },
        ...(platform_public_key === ""
          ? {}
          : { platform_public_key: { text: platform_public_key, kind: "public" } }),
      });
      const pair = { platform_key_id, platform_public_key };
      for (const [field, value] of Object.entries(pair)) {
        const other = Object.values(pair).some((text) => text !== "");
        if (value === "" && other) problems[field] = { reason: "key_pair" };
      }
      return problems;
    },
    connect(config, world) {
      const { app_id, mch_id, mch_apiv3_key } = config;
      const own = privateKeyOf(config.mch_private_key);

      async function send(method: "GET" | "POST", path: string, content?: object): Promise<PaymentResponse> {
        const body = content === undefined ? "" : JSON.stringify(content);
        const timestamp = String(Math.floor(world.now().getTime() / 1000));
        const nonce = randomBytes(16).toString("hex").toUpperCase();
        const signature = signRsa(`${method}\n${path}\n${timestamp}\n${nonce}\n${body}\n`, own);
        const credential = Object.entries({
          mchid: mch_id,
          nonce_str: nonce,
          signature,
          timestamp,
          serial_no: config.mch_certificate_serial_number,
        }).map(([name, value]) => `${name}="${value}"`);
        return ask(world, {
          label,
          method,
          url: base + path,
          headers: {
            authorization: `WECHATPAY2-SHA256-RSA2048 ${credential.join(",")}`,
            ...(body === "" ? {} : { "content-type": "application/json" }),
            ...(config.platform_key_id === "" ? {} : { "wechatpay-serial": config.platform_key_id }),
          },
          ...(body === "" ? {} : { body }),
        });
      }

      const keyOf = platformKeys.of(config, {
        now: () => world.now().getTime(),
        download: async () => (await send("GET", "/v3/certificates")).text,
      });

      async function isTheirs(header: (name: string) => string, body: string): Promise<boolean> {
        const time = header("wechatpay-timestamp");
        const age = Math.abs(world.now().getTime() / 1000 - Number(time));
        if (!/^\d+$/.test(time) || age > TOLERANCE) return false;
        const key = await keyOf(header("wechatpay-serial"));
        const message = `${time}\n${header("wechatpay-nonce")}\n${body}\n`;
        return key !== undefined && isSignedRsa(message, header("wechatpay-signature"), key);
      }

      /**
       * Returns the response as JSON, after its signature was checked. The signature of a refusal is not
       * checked.
       */
      async function call(method: "GET" | "POST", path: string, content?: object) {
        const answer = await send(method, path, content);
        const body = readJson(answer.text);
        if (answer.status >= 400) return { refusal: Refusal.safeParse(body).data?.code ?? "unknown" };
        if (!(await isTheirs((name) => answer.headers.get(name) ?? "", answer.text))) {
          throw unreachable(label, "the answer is not signed by WeChat Pay");
        }
        return { body };
      }

      function paymentOf(given: unknown): Payment | undefined {
        const { data: found } = Transaction.safeParse(given);
        if (found === undefined) throw notGenuine("it is no transaction");
        if (found.mchid !== mch_id || found.appid !== app_id) throw notGenuine("it is for another merchant");
        if (found.trade_state !== "SUCCESS") return undefined;
        if (found.amount === undefined) throw notGenuine("it lacks an amount");
        const { total, currency } = found.amount;
        return checkedPayment({
          tradeNo: found.out_trade_no,
          gatewayNo: found.transaction_id,
          cents: BigInt(total),
          currency,
        });
      }

      return {
        async open(order) {
          const { body, refusal } = await call("POST", "/v3/pay/transactions/native", {
            appid: app_id,
            mchid: mch_id,
            description: order.title,
            out_trade_no: order.tradeNo,
            time_expire: `${order.expiresAt.toISOString().slice(0, 19)}+00:00`,
            notify_url: order.notifyUrl,
            amount: { total: Number(order.cents), currency: "CNY" },
          });
          if (refusal !== undefined) throw paymentError(label, refusal);
          const opened = Opened.safeParse(body);
          if (!opened.success) throw unreachable(label, "an answer that is no order");
          return { kind: "qr", url: opened.data.code_url };
        },

        async verify({ headers, query, body }) {
          refuseQuery({ query });
          if (!(await isTheirs((name) => headers[name] ?? "", body)))
            throw notGenuine("the signature is wrong");
          const notice = Notice.safeParse(readJson(body));
          if (!notice.success) throw notGenuine("it is no notice");
          if (notice.data.event_type !== "TRANSACTION.SUCCESS") return undefined;
          return paymentOf(readJson(open(notice.data.resource, mch_apiv3_key)));
        },

        async query({ tradeNo }) {
          const path = `/v3/pay/transactions/out-trade-no/${encodeURIComponent(tradeNo)}`;
          const { body, refusal } = await call("GET", `${path}?mchid=${encodeURIComponent(mch_id)}`);
          if (refusal === "ORDER_NOT_EXIST" || refusal === "ORDERNOTEXIST") return undefined;
          if (refusal !== undefined) throw paymentError(label, refusal);
          const payment = paymentOf(body);
          return payment?.tradeNo === tradeNo ? payment : undefined;
        },

        reply: {
          taken: { status: 200, type: "application/json", body: '{"code":"SUCCESS"}' },
          refused: { status: 400, type: "application/json", body: '{"code":"FAIL","message":"refused"}' },
        },
      };
    },
  });
}
