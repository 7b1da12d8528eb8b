import { createHmac, generateKeyPairSync } from "node:crypto";
import { paymentConfigs, paymentSecrets, PaymentType } from "@gateway/shared/billing/payment-config";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PaymentStandIns, startPaymentStandIns } from "#test/payment-stand-ins.ts";
import { signatureOf } from "./epay.ts";
import type { OrderToPay, PaymentNotice, World } from "./gateway.ts";
import { openPaymentGateways } from "./index.ts";
import { publicKeyOf } from "./signing.ts";

let there: PaymentStandIns;
let now = Date.now();
let count = 0;
const world: World = { fetch: globalThis.fetch, now: () => new Date(now) };
const types = PaymentType.options;

beforeAll(async () => {
  there = await startPaymentStandIns();
});
beforeEach(() => {
  now = Date.now();
});
afterAll(() => there.close());

function connect(type: PaymentType, over: Record<string, string> = {}, fetch = world.fetch) {
  const config = { ...there.configs[type], ...over };
  return openPaymentGateways(there.at)[type].connect(config, { ...world, fetch });
}

function order(over: Partial<OrderToPay> = {}): OrderToPay {
  count += 1;
  return {
    tradeNo: `T${count}`,
    // 19.99 is the classic amount that a float conversion turns into 1998.
    cents: 1_999n,
    currency: "CNY",
    title: "Gateway top-up $3, and more",
    notifyUrl: "https://gateway.example/api/payment/notify/u",
    returnUrl: "https://gateway.example/panel/topup",
    expiresAt: new Date(now + 7_200_000),
    email: "",
    ...over,
  };
}

/** Opens an order and, where the browser has to, follows its address. */
async function opened(type: PaymentType, over: Record<string, string> = {}) {
  const wanted = order(type === "stripe" ? { currency: "USD" } : {});
  const answer = await connect(type, over).open(wanted);
  if (type === "epay") expect((await fetch(answer.url)).status).toBe(200);
  return { ...wanted, ...answer, session: answer.session ?? "" };
}

function arrived(tradeNo: string, over: object = {}): PaymentNotice {
  const { url, headers, body } = there.noticeOf(tradeNo, over);
  return { headers, query: url.split("?")[1] ?? "", body };
}

const anyone = { forbidden: { code: "forbidden" } };

describe("the registry of payment gateways", () => {
  it("contains the gateways that the console lists, each in the file of its name", async () => {
    const gateways = openPaymentGateways();
    expect(Object.keys(gateways).toSorted()).toEqual(types.toSorted());
    for (const type of types) {
      expect(gateways[type].id).toBe(type);
      await expect(
        import(/* @vite-ignore */ new URL(`./${type}.ts`, import.meta.url).href),
      ).resolves.toBeDefined();
    }
  });
});

describe.each(types)("payment gateway %s", (type) => {
  it("declares every secret field as secret", () => {
    const secret = Object.keys(paymentConfigs[type].shape).filter((name) =>
      /secret|private|^key$|v3_key/.test(name),
    );
    expect(secret.toSorted()).toEqual([...paymentSecrets[type]].toSorted());
  });

  it("reports every missing or invalid field", () => {
    const { problemsOf } = openPaymentGateways()[type];
    expect(problemsOf(there.configs[type])).toEqual({});
    for (const name of paymentSecrets[type]) {
      // The address of a webhook must be known before Stripe creates its secret.
      if (name === "webhook_secret") continue;
      expect(problemsOf({ ...there.configs[type], [name]: "" })[name], name).toBeTruthy();
    }
  });

  it("opens an order for exactly the given amount", async () => {
    const { tradeNo } = await opened(type);
    expect(there.orders.get(tradeNo)).toMatchObject({ cents: 1_999, paid: false });
  });

  it("accepts its own notification, with number, amount and currency", async () => {
    const { tradeNo } = await opened(type);
    const payment = await connect(type).verify(arrived(tradeNo));
    expect(payment).toEqual({
      tradeNo,
      gatewayNo: there.orders.get(tradeNo)!.gatewayNo,
      cents: 1_999n,
      currency: there.statedCurrency[type],
    });
  });

  it("rejects a notification in which one character was changed, and one without a signature", async () => {
    const { tradeNo } = await opened(type);
    const notice = arrived(tradeNo);
    const changed = (text: string) => text.replace(tradeNo, `${tradeNo}0`);
    const forgeries: PaymentNotice[] = [
      type === "wxpay"
        ? { ...notice, body: notice.body.replace("n1", "n2") }
        : { ...notice, query: changed(notice.query), body: changed(notice.body) },
      {
        headers: {},
        query: notice.query.replace(/sign=[^&]+/, ""),
        body: notice.body.replace(/sign=[^&]+/, ""),
      },
      { headers: {}, query: "", body: "" },
      { headers: {}, query: "", body: "{}" },
    ];
    for (const forgery of forgeries) {
      await expect(connect(type).verify(forgery)).rejects.toMatchObject(anyone.forbidden);
    }
  });

  it("rejects a notification with an unknown field, an invalid value or a wrong place", async () => {
    const { tradeNo } = await opened(type);
    const { verify } = connect(type);
    const notice = arrived(tradeNo);
    const isForm = type === "epay" || type === "alipay";
    const form = type === "epay" ? notice.query : notice.body;
    const at = (text: string) => (type === "epay" ? { ...notice, query: text } : { ...notice, body: text });
    const wrong: PaymentNotice[] = isForm
      ? [
          at(`${form}&notify_url=https%3A%2F%2Fx`),
          at(`${form}&return_url=https%3A%2F%2Fx`),
          at(`${form}&unknown=1`),
          at(`${form}&__proto__=1`),
          at(`${form}&constructor=1`),
          at(form.replace(/trade_no=/, "trade_no=a%26b%3D1")),
          at(form.replace(/(money|total_amount)=[^&]+/, "$1=1e3")),
          at(form.replace(/(money|total_amount)=[^&]+/, "$1=-19.99")),
          at(form.replace(/(money|total_amount)=[^&]+/, "$1=0x10")),
          at(form.replace(/trade_status=[^&]+/, "trade_status=TRADE_SUCCESS%26a%3Db")),
          at(form.replace(/trade_status=/, "trade_status=TRADE_SUCCESS&trade_status=")),
          at(form.replace(/sign_type=[^&]+/, "sign_type=RSA")),
          { ...notice, query: form, body: form },
          { ...notice, query: type === "epay" ? form : "a=1", body: type === "epay" ? "a=1" : form },
        ]
      : [
          { ...notice, query: "a=1" },
          { ...notice, query: notice.body, body: "" },
        ];
    for (const one of wrong) {
      await expect(verify(one), `${one.query} ${one.body}`).rejects.toMatchObject(anyone.forbidden);
    }
    await expect(verify(notice)).resolves.toMatchObject({ tradeNo });
  });

  it("rejects a signed notification with an invalid number, amount or currency", async () => {
    const { tradeNo } = await opened(type);
    const { verify } = connect(type);
    const impossible = [{ gatewayNo: "a b" }, { gatewayNo: "x".repeat(101) }, { cents: 0 }, { cents: -1 }];
    const currency = type === "wxpay" || type === "stripe" ? [{ currency: "U$" }] : [];
    for (const over of [...impossible, ...currency]) {
      await expect(verify(arrived(tradeNo, over)), JSON.stringify(over)).rejects.toMatchObject(
        anyone.forbidden,
      );
    }
  });

  it("signs no value with a separator", async () => {
    const wanted = order({
      title: "A & B = C",
      notifyUrl: "https://x/?a=1&b=2",
      ...(type === "stripe" ? { currency: "USD" as const } : {}),
    });
    const answer = await connect(type)
      .open(wanted)
      .then(
        () => "opened",
        (error: unknown) => error,
      );
    if (type === "epay" || type === "alipay") expect(answer).toMatchObject({ code: "internal" });
    else expect(answer).toBe("opened");
  });

  it("rejects a notification signed with another key", async () => {
    const { tradeNo } = await opened(type);
    const { verify } = connect(type, there.otherKeys[type]);
    await expect(verify(arrived(tradeNo))).rejects.toMatchObject(anyone.forbidden);
  });

  it("rejects a valid signature for another merchant", async () => {
    if (type === "stripe") return;
    const { tradeNo } = await opened(type);
    const notice = arrived(tradeNo, { merchant: "somebody else" });
    await expect(connect(type).verify(notice)).rejects.toMatchObject(anyone.forbidden);
  });

  it("accepts the report of an unpaid order, and credits nothing for it", async () => {
    const { tradeNo } = await opened(type);
    expect(await connect(type).verify(arrived(tradeNo, { paid: false }))).toBeUndefined();
  });

  it("can be queried for a payment whose notification was lost", async () => {
    const { tradeNo, session } = await opened(type);
    const { query } = connect(type);
    expect(await query!({ tradeNo, session })).toBeUndefined();
    there.pay(tradeNo);
    expect(await query!({ tradeNo, session })).toMatchObject({ tradeNo, cents: 1_999n });
    if (type !== "stripe") expect(await query!({ tradeNo: "never-opened", session: "" })).toBeUndefined();
  });

  it("reports that it cannot be reached, without revealing a secret", async () => {
    const down: typeof fetch = () => Promise.reject(new TypeError("no network here"));
    const client = connect(type, {}, down);
    const requested = type === "epay" ? client.query!({ tradeNo: "T", session: "" }) : client.open(order());
    const failure: unknown = await requested.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "upstream_failed" });
    const text = `${(failure as Error).message} ${String((failure as Error).cause)}`;
    for (const name of paymentSecrets[type]) expect(text).not.toContain(there.configs[type][name]);
  });
});

describe("epay", () => {
  it("signs as the protocol requires: sorted, without empty fields, the key at the end", () => {
    // echo -n 'money=10.00&name=VIP&out_trade_no=M1&pid=10001&type=epaysecret' | md5sum
    const fields = { type: "epay", pid: "10001", name: "VIP", money: "10.00", out_trade_no: "M1", param: "" };
    expect(signatureOf({ ...fields, sign: "x", sign_type: "MD5" }, "secret")).toBe(
      "cb5dec1a8a112d2bdcf865bebebe2e9d",
    );
  });

  it("is never queried without TLS", () => {
    expect(connect("epay", { pay_domain: "http://pay.example.com" }).query).toBeUndefined();
    expect(connect("epay", { pay_domain: "https://pay.example.com" }).query).toBeDefined();
  });

  it("rejects a notification with a repeated field", async () => {
    const { tradeNo } = await opened("epay");
    const notice = arrived(tradeNo);
    const twice = { ...notice, query: `${notice.query}&money=1000000.00` };
    await expect(connect("epay").verify(twice)).rejects.toMatchObject(anyone.forbidden);
    const besides = { ...notice, body: "money=1000000.00" };
    await expect(connect("epay").verify(besides)).rejects.toMatchObject(anyone.forbidden);
  });
});

describe("alipay", () => {
  it("sends browsers to its pages with a signed order", async () => {
    for (const [pay_type, method] of [
      ["pagepay", "alipay.trade.page.pay"],
      ["wappay", "alipay.trade.wap.pay"],
    ] as const) {
      const { kind, url, tradeNo } = await opened("alipay", { pay_type });
      expect(kind).toBe("link");
      expect(new URL(url).searchParams.get("method")).toBe(method);
      expect(await (await fetch(url)).text()).toContain(tradeNo);
      expect(there.orders.get(tradeNo)).toMatchObject({ cents: 1_999 });
    }
  });

  it("rejects responses that Alipay has not signed", async () => {
    const lying: typeof fetch = async () =>
      new Response(
        '{"alipay_trade_query_response":{"code":"10000","trade_status":"TRADE_SUCCESS"},"sign":"AAAA"}',
      );
    const { query } = connect("alipay", {}, lying);
    await expect(query!({ tradeNo: "T", session: "" })).rejects.toMatchObject({ code: "upstream_refused" });
  });
});

describe("wxpay", () => {
  it("fetches certificates once, and not again for every invented serial number", async () => {
    const { tradeNo } = await opened("wxpay");
    const client = connect("wxpay");
    await client.verify(arrived(tradeNo));
    const before = there.requested.filter((line) => line.includes("certificates")).length;
    const notice = arrived(tradeNo);
    for (let round = 0; round < 5; round += 1) {
      const headers = { ...notice.headers, "wechatpay-serial": `made-up-${round}` };
      await expect(client.verify({ ...notice, headers })).rejects.toMatchObject(anyone.forbidden);
    }
    expect(there.requested.filter((line) => line.includes("certificates"))).toHaveLength(before);
  });

  it("rejects responses that WeChat Pay has not signed", async () => {
    const { tradeNo } = await opened("wxpay");
    const stripped: typeof fetch = async (...args) => new Response(await (await fetch(...args)).text());
    const { query } = connect("wxpay", {}, stripped);
    await expect(query!({ tradeNo, session: "" })).rejects.toMatchObject({ code: "upstream_failed" });
  });

  it("rejects an old notification", async () => {
    const { tradeNo } = await opened("wxpay");
    const notice = arrived(tradeNo);
    now += 3_600_000;
    await expect(connect("wxpay").verify(notice)).rejects.toMatchObject(anyone.forbidden);
  });

  it("requires the public key and its id together", () => {
    const { problemsOf } = openPaymentGateways().wxpay;
    expect(problemsOf({ ...there.configs.wxpay, platform_key_id: "PUB_KEY_ID_1" })).toHaveProperty(
      "platform_public_key",
    );
  });
});

describe("stripe", () => {
  it("rejects an old webhook", async () => {
    const { tradeNo } = await opened("stripe");
    const notice = arrived(tradeNo);
    now += 301_000;
    await expect(connect("stripe").verify(notice)).rejects.toMatchObject(anyone.forbidden);
  });

  it("accepts no webhook while it has no secret, because anyone can sign with an empty one", async () => {
    const { tradeNo } = await opened("stripe");
    const { body, query } = arrived(tradeNo);
    const time = Math.floor(now / 1000);
    const signature = createHmac("sha256", "").update(`${time}.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=${time},v1=${signature}` };
    const { verify } = connect("stripe", { webhook_secret: "" });
    await expect(verify({ headers, query, body })).rejects.toMatchObject(anyone.forbidden);
  });

  it("reports why it rejects an order, to the log only", async () => {
    const failure: unknown = await connect("stripe", { secret_key: "sk_wrong" })
      .open(order())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "upstream_refused" });
    expect((failure as Error).message).toBe("The payment gateway refused this order.");
  });
});

describe("keys", () => {
  it("are never accepted as public when they are private", () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    expect(() => publicKeyOf(privateKey.export({ type: "pkcs8", format: "pem" }).toString())).toThrow();
    const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
    expect(() => publicKeyOf(ec.publicKey.export({ type: "spki", format: "pem" }).toString())).toThrow(/RSA/);
  });
});
