import {
  createCipheriv,
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PaymentType } from "@gateway/shared/billing/payment-config";

/**
 * Simulates the four payment gateways on a real socket, each with its own format and real signatures.
 * Requests without the merchant's signature are rejected.
 */
export interface PaymentStandIns {
  url: string;
  at: { alipay: string; wxpay: string; stripe: string };
  /** A merchant's configuration at each gateway. */
  configs: Record<PaymentType, Record<string, string>>;
  /** Fields of a configuration with which the signatures of these gateways are invalid. */
  otherKeys: Record<PaymentType, Record<string, string>>;
  /** Currency that a notification states, of those that the gateway supports; undefined where it states none. */
  statedCurrency: Record<PaymentType, string | undefined>;
  /** Reply that each gateway expects to a notification of a payment. */
  expectedReply: Record<PaymentType, string>;
  orders: Map<string, StandInOrder>;
  /** Received requests: method and path. */
  requested: string[];
  /** Pays the order without sending a notification. */
  pay(tradeNo: string): void;
  /** Returns the signed notification of an order. `over` changes fields before it is signed. */
  noticeOf(tradeNo: string, over?: Partial<StandInOrder>): Notice;
  close(): Promise<void>;
}

export interface StandInOrder {
  type: PaymentType;
  tradeNo: string;
  gatewayNo: string;
  cents: number;
  currency: string;
  notifyUrl: string;
  paid: boolean;
  merchant: string;
}

export interface Notice {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body: string;
}

const form = "application/x-www-form-urlencoded";
const pkcs8 = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();
const spki = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();
const bare = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, "");
const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const rsa = (text: string, key: KeyObject) => sign("sha256", Buffer.from(text), key).toString("base64");

export async function startPaymentStandIns(): Promise<PaymentStandIns> {
  const alipay = { app: pair(), platform: pair() };
  const wxpay = {
    merchant: pair(),
    platform: pair(),
    apiKey: randomBytes(16).toString("hex"),
    serial: "5157F09E",
  };
  const stripe = { secret: "sk_test_stand_in", webhook: "whsec_stand_in" };
  const epayKey = "epay-merchant-key";
  const unknownKey = spki(pair().publicKey);
  const orders = new Map<string, StandInOrder>();
  const requested: string[] = [];
  let count = 0;

  function remember(order: Omit<StandInOrder, "gatewayNo" | "paid" | "merchant">, merchant: string) {
    count += 1;
    const made = { ...order, gatewayNo: `${order.type}-${count}`, paid: false, merchant };
    orders.set(order.tradeNo, made);
    return made;
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { pathname, search, searchParams } = new URL(request.url ?? "/", url);
    requested.push(`${request.method} ${pathname}`);
    const send = (status: number, content: string, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(content);
    };
    if (pathname.startsWith("/epay/")) return epayAnswers(pathname, searchParams, send);
    if (pathname === "/alipay") return alipayAnswers(new URLSearchParams(body || search), send);
    if (pathname.startsWith("/v3/")) return wxpayAnswers(request, pathname + search, body, send);
    if (pathname.startsWith("/v1/checkout")) return stripeAnswers(request, pathname, body, send);
    send(404, "{}");
  }

  type Send = (status: number, content: string, headers?: Record<string, string>) => void;

  function epaySign(fields: Record<string, string>): string {
    const text = Object.keys(fields)
      .filter((name) => fields[name] !== "")
      .sort()
      .map((name) => `${name}=${fields[name]}`)
      .join("&");
    return createHash("md5")
      .update(text + epayKey)
      .digest("hex");
  }

  function epayAnswers(path: string, query: URLSearchParams, send: Send): void {
    const { sign: given, sign_type: _type, ...fields } = Object.fromEntries(query);
    if (path.endsWith("/submit.php")) {
      if (given !== epaySign(fields)) return send(400, "签名错误");
      const { out_trade_no: tradeNo = "", money = "", notify_url: notifyUrl = "" } = fields;
      const cents = Math.round(Number(money) * 100);
      remember({ type: "epay", tradeNo, cents, currency: "", notifyUrl }, "1001");
      return send(200, "<h1>Pay here</h1>", { "content-type": "text/html" });
    }
    const order = orders.get(fields["out_trade_no"] ?? "");
    if (fields["key"] !== epayKey || !order) return send(200, '{"code":-1,"msg":"no such order"}');
    send(
      200,
      JSON.stringify({
        code: 1,
        trade_no: order.gatewayNo,
        out_trade_no: order.tradeNo,
        money: (order.cents / 100).toFixed(2),
        status: order.paid ? 1 : 0,
      }),
    );
  }

  function alipayText(fields: Record<string, string>): string {
    return Object.keys(fields)
      .filter((name) => fields[name] !== "")
      .sort()
      .map((name) => `${name}=${fields[name]}`)
      .join("&");
  }

  function alipayAnswers(given: URLSearchParams, send: Send): void {
    const { sign: signature = "", ...fields } = Object.fromEntries(given);
    // The address repeats the charset, and the second one is not part of the signed text.
    const genuine = verify(
      "sha256",
      Buffer.from(alipayText(fields)),
      alipay.app.publicKey,
      Buffer.from(signature, "base64"),
    );
    if (!genuine) return send(200, '{"error_response":{"code":"40002","sub_code":"isv.invalid-signature"}}');
    const content = JSON.parse(fields["biz_content"] ?? "{}") as Record<string, string>;
    const tradeNo = content["out_trade_no"] ?? "";
    const name = `${(fields["method"] ?? "").replaceAll(".", "_")}_response`;
    const tell = (inner: object) => {
      // Contains a space and an escape, so that the signature verifies only the exact characters that were
      // sent.
      const raw = JSON.stringify(inner).replace(":", ": ").replaceAll("/", "\\/");
      send(200, `{"${name}":${raw},"sign":"${rsa(raw, alipay.platform.privateKey)}"}`);
    };
    if (fields["method"] === "alipay.trade.query") {
      const order = orders.get(tradeNo);
      if (!order) return tell({ code: "40004", msg: "Business Failed", sub_code: "ACQ.TRADE_NOT_EXIST" });
      return tell({
        code: "10000",
        msg: "Success {not a brace}",
        trade_no: order.gatewayNo,
        out_trade_no: tradeNo,
        trade_status: order.paid ? "TRADE_SUCCESS" : "WAIT_BUYER_PAY",
        total_amount: (order.cents / 100).toFixed(2),
      });
    }
    const cents = Math.round(Number(content["total_amount"]) * 100);
    remember(
      { type: "alipay", tradeNo, cents, currency: "CNY", notifyUrl: fields["notify_url"] ?? "" },
      fields["app_id"] ?? "",
    );
    tell({
      code: "10000",
      msg: "Success",
      out_trade_no: tradeNo,
      qr_code: `https://qr.alipay.com/${tradeNo}`,
    });
  }

  function wxpaySeal(text: string) {
    const nonce = randomBytes(6).toString("hex");
    const cipher = createCipheriv("aes-256-gcm", wxpay.apiKey, nonce).setAAD(Buffer.from("transaction"));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return {
      algorithm: "AEAD_AES_256_GCM",
      nonce,
      associated_data: "transaction",
      ciphertext: sealed.toString("base64"),
    };
  }

  function wxpayHeaders(body: string): Record<string, string> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomBytes(8).toString("hex");
    return {
      "wechatpay-timestamp": timestamp,
      "wechatpay-nonce": nonce,
      "wechatpay-serial": wxpay.serial,
      "wechatpay-signature": rsa(`${timestamp}\n${nonce}\n${body}\n`, wxpay.platform.privateKey),
    };
  }

  const wxpayTransaction = (order: StandInOrder) => ({
    appid: "wx-app",
    mchid: order.merchant,
    out_trade_no: order.tradeNo,
    trade_state: order.paid ? "SUCCESS" : "NOTPAY",
    ...(order.paid
      ? { transaction_id: order.gatewayNo, amount: { total: order.cents, currency: order.currency } }
      : {}),
  });

  function wxpayAnswers(request: IncomingMessage, path: string, body: string, send: Send): void {
    const credential = request.headers.authorization ?? "";
    const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(credential)?.[1] ?? "";
    const text = `${request.method}\n${path}\n${field("timestamp")}\n${field("nonce_str")}\n${body}\n`;
    const signature = Buffer.from(field("signature"), "base64");
    const genuine = verify("sha256", Buffer.from(text), wxpay.merchant.publicKey, signature);
    if (!genuine || field("mchid") !== "1900000001") return send(401, '{"code":"SIGN_ERROR"}');
    const tell = (content: object) => {
      const raw = JSON.stringify(content);
      send(200, raw, wxpayHeaders(raw));
    };
    if (path === "/v3/certificates") {
      const pem = spki(wxpay.platform.publicKey);
      return tell({ data: [{ serial_no: wxpay.serial, encrypt_certificate: wxpaySeal(pem) }] });
    }
    if (request.method === "GET") {
      const tradeNo = /out-trade-no\/([^?]+)/.exec(path)?.[1] ?? "";
      const order = orders.get(tradeNo);
      return order ? tell(wxpayTransaction(order)) : send(404, '{"code":"ORDER_NOT_EXIST"}');
    }
    const order = JSON.parse(body) as {
      out_trade_no: string;
      notify_url: string;
      mchid: string;
      amount: { total: number; currency: string };
    };
    const { out_trade_no: tradeNo, notify_url: notifyUrl, amount } = order;
    remember(
      { type: "wxpay", tradeNo, cents: amount.total, currency: amount.currency, notifyUrl },
      order.mchid,
    );
    tell({ code_url: `weixin://wxpay/bizpayurl?pr=${tradeNo}` });
  }

  const stripeSession = (order: StandInOrder) => ({
    id: `cs_${order.tradeNo}`,
    object: "checkout.session",
    payment_status: order.paid ? "paid" : "unpaid",
    amount_total: order.cents,
    currency: order.currency,
    client_reference_id: order.tradeNo,
    payment_intent: order.paid ? order.gatewayNo : null,
    metadata: { order: order.tradeNo },
  });

  function stripeAnswers(request: IncomingMessage, path: string, body: string, send: Send): void {
    if (request.headers.authorization !== `Bearer ${stripe.secret}`) {
      return send(401, '{"error":{"type":"invalid_request_error"}}');
    }
    if (request.method === "GET") {
      const order = orders.get(path.replace(/.*\/cs_/, ""));
      return order ? send(200, JSON.stringify(stripeSession(order))) : send(404, "{}");
    }
    const given = new URLSearchParams(body);
    const tradeNo = given.get("client_reference_id") ?? "";
    const price = (name: string) => given.get(`line_items[0][price_data][${name}]`) ?? "";
    // Stripe's webhook address is configured once, manually.
    const order = {
      tradeNo,
      cents: Number(price("unit_amount")),
      currency: price("currency"),
      notifyUrl: "",
    };
    remember({ type: "stripe", ...order }, "acct");
    send(200, JSON.stringify({ id: `cs_${tradeNo}`, url: `${url}/stripe-page/${tradeNo}` }));
  }

  function noticeOf(tradeNo: string, over: Partial<StandInOrder> = {}): Notice {
    const order = { ...orders.get(tradeNo)!, paid: true, ...over };
    const money = (order.cents / 100).toFixed(2);
    switch (order.type) {
      case "epay": {
        const fields = {
          pid: order.merchant,
          trade_no: order.gatewayNo,
          out_trade_no: order.tradeNo,
          type: "alipay",
          name: "Top-up",
          money,
          trade_status: order.paid ? "TRADE_SUCCESS" : "WAIT",
        };
        const query = new URLSearchParams({ ...fields, sign: epaySign(fields), sign_type: "MD5" });
        return { method: "GET", url: `${order.notifyUrl}?${query.toString()}`, headers: {}, body: "" };
      }
      case "alipay": {
        const fields: Record<string, string> = {
          app_id: order.merchant,
          trade_no: order.gatewayNo,
          out_trade_no: order.tradeNo,
          total_amount: money,
          trade_status: order.paid ? "TRADE_SUCCESS" : "WAIT_BUYER_PAY",
          notify_time: "2026-11-21 15:00:00",
          subject: "充值 100% + more",
        };
        const signature = rsa(alipayText(fields), alipay.platform.privateKey);
        const body = new URLSearchParams({ ...fields, sign: signature, sign_type: "RSA2" }).toString();
        return { method: "POST", url: order.notifyUrl, headers: { "content-type": form }, body };
      }
      case "wxpay": {
        const resource = wxpaySeal(JSON.stringify(wxpayTransaction(order)));
        const body = JSON.stringify({ id: "n1", event_type: "TRANSACTION.SUCCESS", resource });
        const headers = { "content-type": "application/json", ...wxpayHeaders(body) };
        return { method: "POST", url: order.notifyUrl, headers, body };
      }
      case "stripe": {
        const type = "checkout.session.completed";
        const body = JSON.stringify({ id: "evt_1", type, data: { object: stripeSession(order) } });
        const time = Math.floor(Date.now() / 1000);
        const signature = createHmac("sha256", stripe.webhook).update(`${time}.${body}`).digest("hex");
        const headers = {
          "content-type": "application/json; charset=utf-8",
          "stripe-signature": `t=${time},v1=${"0".repeat(64)},v1=${signature},v0=old`,
        };
        return { method: "POST", url: order.notifyUrl, headers, body };
      }
    }
  }

  return {
    url,
    at: { alipay: `${url}/alipay`, wxpay: url, stripe: url },
    configs: {
      epay: { pay_domain: `${url}/epay/`, partner_id: "1001", key: epayKey, pay_type: "" },
      alipay: {
        app_id: "2021000000000001",
        // The format of the merchant console: without the PEM header and footer.
        private_key: bare(pkcs8(alipay.app.privateKey)),
        public_key: bare(spki(alipay.platform.publicKey)),
        pay_type: "facepay",
      },
      wxpay: {
        app_id: "wx-app",
        mch_id: "1900000001",
        mch_certificate_serial_number: "ABCDEF",
        mch_private_key: pkcs8(wxpay.merchant.privateKey),
        mch_apiv3_key: wxpay.apiKey,
      },
      stripe: { secret_key: stripe.secret, webhook_secret: stripe.webhook },
    },
    otherKeys: {
      epay: { key: "another" },
      alipay: { public_key: unknownKey },
      wxpay: { platform_key_id: wxpay.serial, platform_public_key: unknownKey },
      stripe: { webhook_secret: "another" },
    },
    statedCurrency: { epay: undefined, alipay: "CNY", wxpay: "CNY", stripe: "USD" },
    expectedReply: { epay: "success", alipay: "success", wxpay: '{"code":"SUCCESS"}', stripe: "ok" },
    orders,
    requested,
    pay(tradeNo) {
      const order = orders.get(tradeNo);
      if (!order) throw new Error(`No order ${tradeNo} was opened here.`);
      order.paid = true;
    },
    noticeOf,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
