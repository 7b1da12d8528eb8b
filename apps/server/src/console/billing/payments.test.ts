import type { OpenedOrder, OrderRow, OrderState, OwnOrder, TopUpTerms } from "@gateway/shared/billing/order";
import type { PaymentChoice, PaymentRow } from "@gateway/shared/billing/payment";
import { PaymentType } from "@gateway/shared/billing/payment-config";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { paymentDeps } from "#console/services.ts";
import { audit } from "#domain/ledger/balances/audit.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { watchOrders } from "#domain/payments/watch-orders.ts";
import { openPaymentGateways } from "#payments/index.ts";
import { isPublicAddress } from "#platform/http/public-fetch.ts";
import type { User } from "#platform/prisma/client.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { nightly } from "#test/nightly.ts";
import { during } from "#test/overlap.ts";
import { type Notice, type PaymentStandIns, startPaymentStandIns } from "#test/payment-stand-ins.ts";

let there: PaymentStandIns;
let site: TestConsole;
let admin: Browser;
let person: User;
let me: Browser;
const types = PaymentType.options;

beforeAll(async () => {
  there = await startPaymentStandIns();
  site = await buildConsole({ paymentGateways: openPaymentGateways(there.at) });
  admin = await site.as(await site.makeUser({ role: 10, username: "the-cashier" }));
  await setting("ServerAddress", "https://ai.example.com");
});
beforeEach(async () => {
  person = await site.makeUser();
  me = await site.as(person);
});
afterAll(async () => {
  await site.close();
  await there.close();
});

function input(type: PaymentType, over: object = {}) {
  const currency = type === "stripe" ? "USD" : "CNY";
  return { type, name: `By ${type}`, icon: "card", currency, config: there.configs[type], ...over };
}

async function addGateway(type: PaymentType, over: object = {}): Promise<PaymentRow> {
  const answer = await admin.send<PaymentRow>("POST", "/api/payment", input(type, over));
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ success: true });
  return answer.body.data;
}

/** Opens an order as the payer does. */
async function open(gateway: PaymentRow, amount = 10): Promise<OpenedOrder> {
  const answer = await me.send<OpenedOrder>("POST", "/api/user/order", { uuid: gateway.uuid, amount });
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ success: true });
  if (gateway.type === "epay") expect((await fetch(answer.body.data.data.url)).status).toBe(200);
  const order = there.orders.get(answer.body.data.trade_no)!;
  if (gateway.type === "stripe") order.notifyUrl = gateway.notify_url;
  return answer.body.data;
}

/** Delivers a notification. A gateway calls from anywhere, with neither session nor origin. */
async function deliver({ method, url, headers, body }: Notice, to = new URL(url)) {
  const answer = await site.app.inject({
    method,
    url: to.pathname + to.search,
    headers,
    ...(method === "POST" ? { payload: body } : {}),
  });
  return { status: answer.statusCode, body: answer.body, type: answer.headers["content-type"] };
}

async function balance(): Promise<number> {
  const { quota } = await site.services.db.user.findUniqueOrThrow({ where: { id: person.id } });
  return Number(quota);
}

async function stored(tradeNo: string) {
  return site.services.db.order.findUniqueOrThrow({ where: { trade_no: tradeNo } });
}

async function notices(tradeNo: string) {
  return site.services.db.notice.findMany({ where: { topic: `order:${tradeNo}` } });
}

const setting = (key: string, value: unknown) =>
  site.services.settings.set({ id: null, username: "test", ip: "" }, key, value);

describe("payment gateways", () => {
  it("are created, changed, switched and removed, and never show a secret again", async () => {
    const made = await addGateway("stripe", { sort: 3 });
    expect(made).toMatchObject({ config: {}, secrets_set: ["secret_key", "webhook_secret"], enable: true });
    expect(made.notify_url).toMatch(
      new RegExp(`^https://ai\\.example\\.com/api/payment/notify/${made.uuid}$`),
    );

    const changed = await admin.send<PaymentRow>("PUT", `/api/payment/${made.id}`, {
      ...input("stripe", { name: "Cards", notify_domain: "https://pay.example/base/" }),
      config: { secret_key: "", webhook_secret: "whsec_new" },
    });
    expect(changed.body.data).toMatchObject({
      name: "Cards",
      notify_url: `https://pay.example/base/api/payment/notify/${made.uuid}`,
      secrets_set: ["secret_key", "webhook_secret"],
    });
    // As tools for the older API do it: the id in the body, the settings as a text.
    const older = {
      ...input("stripe"),
      id: made.id,
      config: JSON.stringify({ webhook_secret: "whsec_newer" }),
    };
    expect((await admin.send("PUT", "/api/payment/", older)).status).toBe(200);

    expect((await admin.send("PATCH", `/api/payment/${made.id}`, { enable: false })).body.data).toMatchObject(
      {
        enable: false,
      },
    );
    const list = await admin.get<{ data: PaymentRow[] }>("/api/payment?type=stripe");
    expect(list.body.data.data.map((row) => row.id)).toContain(made.id);
    expect(JSON.stringify(list.body)).not.toMatch(/sk_test|whsec/);
    const row = await site.services.db.paymentGateway.findUniqueOrThrow({ where: { id: made.id } });
    expect(Buffer.from(row.config_encrypted!).toString("latin1")).not.toContain("sk_test");

    expect((await admin.send("DELETE", `/api/payment/${made.id}`)).status).toBe(200);
    expect((await admin.get(`/api/payment/${made.id}`)).status).toBe(404);
    const noted = await site.services.db.auditEntry.findMany({ where: { target_type: "payment" } });
    expect(noted.map((note) => note.action)).toEqual(
      expect.arrayContaining(["payment.create", "payment.change", "payment.switch", "payment.delete"]),
    );
    expect(JSON.stringify(noted.map((note) => [note.before, note.after]))).not.toMatch(/sk_test|whsec/);
  });

  it("name every invalid field", async () => {
    const wrong: [object, string][] = [
      [input("epay", { name: "" }), "name"],
      [input("epay", { icon: "" }), "icon"],
      [input("epay", { icon: "javascript:alert(1)" }), "icon"],
      [input("epay", { currency: "" }), "currency"],
      [input("alipay", { currency: "USD" }), "currency"],
      [input("epay", { fixed_fee: -0.01 }), "fixed_fee"],
      [input("epay", { percent_fee: -1 }), "percent_fee"],
      [input("epay", { percent_fee: 5 }), "percent_fee"],
      [input("epay", { sort: -1 }), "sort"],
      [input("epay", { notify_domain: "pay.example" }), "notify_domain"],
      [input("epay", { config: { ...there.configs.epay, key: "" } }), "config.key"],
      [input("epay", { config: { ...there.configs.epay, pay_domain: "ftp://x" } }), "config.pay_domain"],
      [
        input("alipay", { config: { ...there.configs.alipay, private_key: "nonsense" } }),
        "config.private_key",
      ],
      [
        input("wxpay", { config: { ...there.configs.wxpay, mch_apiv3_key: "short" } }),
        "config.mch_apiv3_key",
      ],
    ];
    for (const [body, field] of wrong) {
      const answer = await admin.send("POST", "/api/payment", body);
      expect(answer, `${field}: ${JSON.stringify(answer.body)}`).toMatchObject({ status: 400 });
      expect(Object.keys(answer.body.fields ?? {}), field).toEqual([field]);
    }
    const made = await addGateway("epay");
    const other = await admin.send("PUT", `/api/payment/${made.id}`, input("alipay"));
    expect(other).toMatchObject({ status: 409, body: { fields: { type: expect.any(String) as string } } });
  });

  it("are for permitted administrators, and every user sees the enabled ones, best first", async () => {
    expect((await me.get("/api/payment")).status).toBe(403);
    const groups = await site.as(await site.makeUser({ role: 10, permissions: { groups: "edit" } }));
    expect((await groups.get("/api/payment")).status).toBe(403);
    expect((await groups.get("/api/payment/order")).status).toBe(403);
    const first = await addGateway("epay", { name: "Best", sort: 1_000 });
    const off = await addGateway("epay", { name: "Off", enable: false });
    const choices = (await me.get<PaymentChoice[]>("/api/user/payment")).body.data;
    expect(choices[0]).toEqual({
      uuid: first.uuid,
      type: "epay",
      name: "Best",
      icon: "card",
      fixed_fee: 0,
      percent_fee: 0,
      currency: "CNY",
      sort: 1_000,
    });
    expect(choices.map((choice) => choice.uuid)).not.toContain(off.uuid);
    const closed = await me.send("POST", "/api/user/order", { uuid: off.uuid, amount: 10 });
    expect(closed.status).toBe(404);
  });
});

describe("open orders", () => {
  /** Adds orders of the person to a gateway. */
  const openMany = (
    client: { query(text: string, values: unknown[]): Promise<unknown> },
    gateway: number,
    count: number,
  ) =>
    client.query(
      `INSERT INTO orders (trade_no, user_id, gateway_id, amount, order_amount, order_currency, quota)
       SELECT 'many' || $1::int || '-' || n, $1, $2, 10, 10, 'CNY', 10 FROM generate_series(1, $3) n`,
      [person.id, gateway, count],
    );

  it("are at most twenty for one user", async () => {
    const { id, uuid } = await addGateway("epay");
    await openMany(site.database.pool, id, 19);
    const order = { uuid, amount: 10 };
    expect((await me.send("POST", "/api/user/order", order)).status).toBe(200);
    expect((await me.send("POST", "/api/user/order", order)).status).toBe(429);
  });

  it("are at most twenty for one user, even if all are opened at once", async () => {
    const { id, uuid } = await addGateway("epay");
    const answer = await during(
      site.database,
      ["SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", `orders:${person.id}`],
      (client) => openMany(client, id, 20),
      () => me.send("POST", "/api/user/order", { uuid, amount: 10 }),
    );
    expect(answer.status).toBe(429);
  });
});

describe("the address in an order", () => {
  const hosts = [
    { host: "x&trade_no=F1&trade_status=TRADE_SUCCESS&ts=y" },
    { host: "evil.example" },
    { host: "evil.example:1" },
    { host: "localhost:80", "x-forwarded-host": "evil.example" },
    { host: "localhost:80", "x-forwarded-host": "x&trade_no=F1", "x-forwarded-proto": "https" },
    { host: "localhost:80", forwarded: "host=evil.example;proto=https" },
  ];
  const token = async () => {
    const { body } = await me.send<{ token: string }>("POST", "/api/user/token");
    return body.data.token;
  };

  it.each(types)("%s: comes from the settings, whatever host a request names", async (type) => {
    const gateway = await addGateway(type);
    const authorization = await token();
    for (const headers of type === "epay" ? hosts : [{ host: "evil.example" }]) {
      const answer = await site.app.inject({
        method: "POST",
        url: "/api/user/order",
        remoteAddress: `10.1.${types.indexOf(type)}.1`,
        headers: { ...headers, authorization, "api-version": "2" },
        payload: { uuid: gateway.uuid, amount: 1 },
      });
      expect(answer.statusCode, JSON.stringify(headers)).toBe(200);
      expect(answer.body).not.toMatch(/evil|trade_no=F1/);
      const { data } = answer.json<{ data: OpenedOrder }>();
      if (type === "epay") await fetch(data.data.url);
      const { notifyUrl } = there.orders.get(data.trade_no)!;
      if (type !== "stripe")
        expect(notifyUrl).toBe(`https://ai.example.com/api/payment/notify/${gateway.uuid}`);
      const shown = await site.app.inject({
        url: `/api/payment/${gateway.id}`,
        headers: { ...headers, cookie: `session=${admin.cookie}` },
      });
      expect(shown.json<{ data: PaymentRow }>().data.notify_url).toBe(
        `https://ai.example.com/api/payment/notify/${gateway.uuid}`,
      );
    }
  });

  it("must be configured before an order can be opened, and the error names the setting for an administrator", async () => {
    const gateway = await addGateway("epay", { notify_domain: "https://pay.example" });
    await setting("ServerAddress", "");
    const before = await site.services.db.order.count();
    try {
      const wanted = { uuid: gateway.uuid, amount: 10 };
      const mine = await me.send("POST", "/api/user/order", wanted);
      expect(mine).toMatchObject({ status: 409, body: { code: "server_address_missing" } });
      expect(mine.body.message).toContain("Contact the administrator");
      const theirs = await admin.send("POST", "/api/user/order", wanted);
      expect(theirs).toMatchObject({ status: 409, body: { code: "server_address_missing" } });
      expect(theirs.body.message).toContain("Settings, System, Server address");
      const terms = await me.get<TopUpTerms>("/api/user/payment/terms");
      expect(terms.body.data.available).toBe(false);
      expect(await site.services.db.order.count()).toBe(before);
    } finally {
      await setting("ServerAddress", "https://ai.example.com");
    }
  });

  it("cannot contain separators of form fields", async () => {
    const wrong = [
      "https://x&trade_no=F1",
      "https://ai.example.com/a=b",
      "https://ai.example.com/?a=b",
      "https://ai.example.com/#a",
      "https://me:secret@ai.example.com",
      "https://ai.example.com/%26",
      "https://ai.example.com:999999",
      "https://ai.example.com\\@evil.example",
      "//ai.example.com",
    ];
    for (const address of wrong) {
      await expect(setting("ServerAddress", address), address).rejects.toMatchObject({
        code: "invalid_request",
      });
      const answer = await admin.send("POST", "/api/payment", input("epay", { notify_domain: address }));
      expect(answer, address).toMatchObject({
        status: 400,
        body: { fields: { notify_domain: expect.any(String) as string } },
      });
    }
    for (const config of [{ partner_id: "1&2" }, { partner_id: "a=b" }]) {
      const answer = await admin.send(
        "POST",
        "/api/payment",
        input("epay", { config: { ...there.configs.epay, ...config } }),
      );
      expect(answer.status, JSON.stringify(config)).toBe(400);
    }
  });

  it("leads the payer back to the order, whatever the gateway adds to it", async () => {
    const { trade_no } = await open(await addGateway("epay"));
    const answer = await site.app.inject({
      url: `/api/payment/return/${trade_no}?trade_status=TRADE_SUCCESS&trade_no=1&sign=x`,
      headers: { host: "evil.example" },
    });
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(`/panel/topup?back=${trade_no}`);
    expect((await site.app.inject({ url: "/api/payment/return/a%26b" })).statusCode).toBe(400);
    expect((await stored(trade_no)).status).toBe("pending");
  });
});

describe("our own signature of an epay order", () => {
  it("credits nothing when it comes back as a notification, whatever the name of the site", async () => {
    const gateway = await addGateway("epay");
    await setting("SystemName", "A&trade_no=F1&trade_status=TRADE_SUCCESS&ts=y");
    try {
      const { trade_no, data } = await open(gateway);
      const link = new URL(data.url);
      const parts = new URLSearchParams(link.search);
      for (const [name, value] of link.searchParams) {
        expect(/[&=]/.test(value), `${name}: ${value}`).toBe(false);
        for (const part of value.split("&").slice(1)) parts.append(...(part.split("=") as [string, string]));
      }
      const to = `/api/payment/notify/${gateway.uuid}`;
      const bare = new URLSearchParams(parts);
      for (const name of ["notify_url", "return_url"]) bare.delete(name);
      for (const query of [parts, bare]) {
        for (const more of ["", "TRADE_SUCCESS"]) {
          const lies: Record<string, string> = more === "" ? {} : { trade_status: more, trade_no: "F1" };
          const fields = new URLSearchParams({ ...Object.fromEntries(query), ...lies }).toString();
          expect((await site.app.inject({ url: `${to}?${fields}` })).statusCode).toBe(400);
          const posted = await site.app.inject({
            method: "POST",
            url: to,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            payload: fields,
          });
          expect(posted.statusCode).toBe(400);
        }
      }
      expect((await stored(trade_no)).status).toBe("pending");
      expect(await balance()).toBe(0);
    } finally {
      await setting("SystemName", null);
    }
  });
});

describe("a payment gateway at an address that is not public", () => {
  it("is never called, however the address is spelled", async () => {
    const inside = await buildConsole({
      paymentGateways: openPaymentGateways(),
      mayReach: isPublicAddress,
    });
    try {
      const boss = await inside.as(await inside.makeUser({ role: 10 }));
      await inside.services.settings.set(
        { id: null, username: "test", ip: "" },
        "ServerAddress",
        "https://ai.example.com",
      );
      const port = new URL(there.url).port;
      const requested = there.requested.length;
      for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"]) {
        const config = { ...there.configs.alipay, api_address: `http://${host}:${port}/alipay` };
        const made = await boss.send<PaymentRow>("POST", "/api/payment", input("alipay", { config }));
        expect(made.status, host).toBe(200);
        const wanted = { uuid: made.body.data.uuid, amount: 1 };
        const answer = await boss.send("POST", "/api/user/order", wanted);
        expect(answer, host).toMatchObject({ status: 502, body: { code: "upstream_failed" } });
      }
      expect(there.requested.length).toBe(requested);
    } finally {
      await inside.close();
    }
  });
});

describe("the permission to set up a payment gateway", () => {
  it("is part of the permission to give balances", async () => {
    const cashier = await site.as(await site.makeUser({ role: 10, permissions: { payments: "edit" } }));
    const made = await cashier.send("POST", "/api/payment", input("epay"));
    expect(made).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const { id } = await addGateway("epay");
    expect((await cashier.send("PUT", `/api/payment/${id}`, input("epay"))).status).toBe(403);
    expect((await cashier.send("PUT", "/api/payment", { ...input("epay"), id })).status).toBe(403);
    // Callers of One Hub's API are rejected as well.
    for (const [method, body] of [
      ["POST", input("epay")],
      ["PUT", { ...input("epay"), id }],
      ["PUT", { id, name: "Mine" }],
    ] as const) {
      const answer = await cashier.send(method, "/api/payment/", body, { "api-version": "1" });
      expect(answer.body, method).toMatchObject({ success: false, code: "forbidden" });
    }
    expect((await cashier.send("PATCH", `/api/payment/${id}`, { sort: 2 })).status).toBe(200);
    const both = await site.makeUser({ role: 10, permissions: { payments: "edit", balances: "edit" } });
    expect((await (await site.as(both)).send("PUT", `/api/payment/${id}`, input("epay"))).status).toBe(200);
  });
});

describe("the price of an order", () => {
  it("equals the shown price, with discount, both fees and the rate, in exact cents", async () => {
    await setting("RechargeDiscount", JSON.stringify({ "100": 0.9, vip: { "100": 0.8 } }));
    await setting("PaymentUSDRate", 7.25);
    const gateway = await addGateway("alipay", { fixed_fee: 0.3, percent_fee: 0.05 });
    const terms = (await me.get<TopUpTerms>("/api/user/payment/terms")).body.data;
    expect(terms).toMatchObject({ min_amount: 1, max_amount: 1_000_000, usd_rate: 7.25 });
    expect(terms.discounts).toEqual([{ amount: 100, discount: 0.9 }]);
    // (100 × 0.9 + 100 × 0.9 × 0.05 + 0.3) × 7.25
    const { trade_no, ...opened } = await open(gateway, 100);
    expect(opened).toMatchObject({ type: 2, order_amount: 687.3, order_currency: "CNY" });
    expect(there.orders.get(trade_no)).toMatchObject({ cents: 68_730 });
    const order = await stored(trade_no);
    expect([order.fee.toFixed(2), order.discount.toFixed(2), order.quota]).toEqual([
      "4.80",
      "10.00",
      50_000_000n,
    ]);

    const requested = { uuid: gateway.uuid, amount: 100 };
    const shown = await me.send("POST", "/api/user/order", { ...requested, order_amount: "687.30" });
    expect(shown.status).toBe(200);
    const old = await me.send("POST", "/api/user/order", { ...requested, order_amount: "687.29" });
    expect(old.status).toBe(409);

    const vip = await site.as(await site.makeUser({ group: "vip" }));
    expect((await vip.get<TopUpTerms>("/api/user/payment/terms")).body.data.discounts).toEqual([
      { amount: 100, discount: 0.8 },
    ]);
  });

  it("must be in whole dollars between the smallest and the largest top-up", async () => {
    await setting("PaymentMinAmount", 5);
    const { uuid } = await addGateway("epay");
    for (const amount of [0, -10, 1.5, 4, 1_000_001, "ten", null, 1e300]) {
      const answer = await me.send("POST", "/api/user/order", { uuid, amount });
      expect(answer, String(amount)).toMatchObject({ status: 400 });
      expect(Object.keys(answer.body.fields ?? {}), String(amount)).toEqual(["amount"]);
    }
    expect((await me.send("POST", "/api/user/order", { uuid, amount: 5 })).status).toBe(200);
    expect((await me.send("POST", "/api/user/order", { uuid, amount: 1_000_000 })).status).toBe(200);
    await setting("PaymentMinAmount", 1);
  });
});

describe.each(types)("an order paid through %s", (type) => {
  // payments/contract.test.ts queries each gateway.
  const queried = nightly(type !== "epay");

  it("is credited once, however often and from wherever it is reported", async () => {
    const gateway = await addGateway(type);
    const { trade_no } = await open(gateway);
    const state = `/api/user/order/status?trade_no=${trade_no}`;
    expect((await me.get<OrderState>(state)).body.data.status).toBe("pending");

    const notice = there.noticeOf(trade_no);
    const reported = await Promise.all(Array.from({ length: 8 }, () => deliver(notice)));
    expect(reported.map(({ status }) => status)).toEqual(reported.map(() => 200));
    expect(reported[0]!.body).toBe(there.expectedReply[type]);
    expect(await deliver(notice)).toMatchObject({ status: 200 });
    expect(await balance()).toBe(5_000_000);
    expect((await me.get<OrderState>(state)).body.data).toMatchObject({
      status: "success",
      quota: 5_000_000,
    });

    const order = await stored(trade_no);
    expect(order).toMatchObject({ status: "success", gateway_no: there.orders.get(trade_no)!.gatewayNo });
    const log = await site.database.pool.query("SELECT type, quota FROM request_logs WHERE user_id = $1", [
      person.id,
    ]);
    expect(log.rows).toMatchObject([{ type: 1, quota: 5_000_000n }]);
    const noted = await site.services.db.auditEntry.findMany({ where: { target_id: trade_no } });
    expect(noted.map((note) => note.action)).toEqual(["order.pay"]);
    const user = await site.services.db.user.findUniqueOrThrow({ where: { id: person.id } });
    const days = (user.quota_expires_at!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(179.9);
  });

  it("is not credited for a forged notification, a lower amount, another currency, or another gateway's report", async () => {
    const gateway = await addGateway(type);
    const { trade_no } = await open(gateway);
    const good = there.noticeOf(trade_no);
    const forged = {
      ...good,
      url: good.url.replace(/sign=\w/, "sign=_"),
      body: good.body.replace(/sign=./, "sign=_").replace('":"', '":"_'),
    };
    expect(await deliver(forged)).toMatchObject({ status: 400 });
    const cents = there.orders.get(trade_no)!.cents;
    expect(await deliver(there.noticeOf(trade_no, { cents: cents - 1 }))).toMatchObject({ status: 400 });
    expect(await deliver(there.noticeOf(trade_no, { cents: cents + 1 }))).toMatchObject({ status: 400 });
    expect(await deliver(there.noticeOf(trade_no, { tradeNo: "no-such-order" }))).toMatchObject({
      status: 400,
    });
    if (type === "wxpay" || type === "stripe") {
      expect(await deliver(there.noticeOf(trade_no, { currency: "HKD" }))).toMatchObject({ status: 400 });
    }
    // The same merchant's second gateway: the signature is valid, but the order was opened with another one.
    const second = await addGateway(type);
    const elsewhere = new URL(good.url);
    elsewhere.pathname = elsewhere.pathname.replace(gateway.uuid, second.uuid);
    expect(await deliver(good, elsewhere)).toMatchObject({ status: 400 });
    const unknownGateway = new URL(good.url);
    unknownGateway.pathname = unknownGateway.pathname.replace(gateway.uuid, "unknown");
    // One Hub's status. The body is none that a gateway takes for an acknowledgement.
    expect(await deliver(good, unknownGateway)).toMatchObject({ status: 200 });

    expect(await balance()).toBe(0);
    expect((await stored(trade_no)).status).toBe("pending");
    expect((await stored(trade_no)).trouble).toMatch(/^other_(currency|amount)$/);
    expect((await notices(trade_no)).length).toBeGreaterThan(0);
    // A correct payment is credited after all.
    expect(await deliver(good)).toMatchObject({ status: 200 });
    expect(await balance()).toBe(5_000_000);
  });

  it("is credited without a notification, because the gateway is queried", queried, async () => {
    const { trade_no } = await open(await addGateway(type));
    there.pay(trade_no);
    const earlier = new Date(Date.now() - 120_000);
    await site.services.db.order.update({ where: { trade_no }, data: { created_at: earlier } });
    await watchOrders(paymentDeps(site.services), (error) => {
      throw error;
    });
    expect(await balance()).toBe(5_000_000);
    expect(await deliver({ ...there.noticeOf(trade_no) })).toMatchObject({ status: 200 });
    expect(await balance()).toBe(5_000_000);
  });

  it("is credited while its payer waits and our address cannot be reached", queried, async () => {
    const { trade_no } = await open(await addGateway(type));
    there.pay(trade_no);
    const state = await me.get<OrderState>(`/api/user/order/status?trade_no=${trade_no}`);
    expect(state.body.data.status).toBe("success");
    expect(await balance()).toBe(5_000_000);
  });
});

describe("an order", () => {
  it("is credited when it was closed, and its gateway disabled and removed, before the payment", async () => {
    const gateway = await addGateway("epay");
    const { trade_no } = await open(gateway);
    const closed = await me.send<OwnOrder>("POST", "/api/user/order/close", { trade_no });
    expect(closed.body.data.status).toBe("closed");
    expect((await me.send("POST", "/api/user/order/close", { trade_no })).status).toBe(409);
    await admin.send("DELETE", `/api/payment/${gateway.id}`);
    expect(await deliver(there.noticeOf(trade_no))).toMatchObject({ status: 200, body: "success" });
    expect(await balance()).toBe(5_000_000);
    expect((await stored(trade_no)).status).toBe("success");
  });

  it("can be paid from another page while it is open, by its owner, and not afterwards", async () => {
    const opened = await open(await addGateway("wxpay"));
    const { trade_no } = opened;
    expect(opened).toMatchObject({ type: 2, gateway_name: "By wxpay" });
    const state = () => me.get<OrderState>(`/api/user/order/status?trade_no=${trade_no}`);
    expect((await state()).body.data.opened).toEqual(opened);
    const other = await site.as(await site.makeUser());
    expect((await other.get(`/api/user/order/status?trade_no=${trade_no}`)).status).toBe(404);
    // The gateway accepts no payment for it after two hours.
    const created_at = new Date(Date.now() - 2 * 3_600_000 - 1_000);
    await site.services.db.order.update({ where: { trade_no }, data: { created_at } });
    expect((await state()).body.data).toMatchObject({ status: "pending", opened: null });
    await deliver(there.noticeOf(trade_no));
    expect((await state()).body.data).toMatchObject({ status: "success", opened: null });
  });

  it("returns its credit once when it is refunded, with the reason, and never more than the balance", async () => {
    const { trade_no } = await open(await addGateway("epay"));
    const notice = there.noticeOf(trade_no);
    const { id } = await stored(trade_no);
    const refund = (reason: string) =>
      admin.send<OrderRow>("POST", `/api/payment/order/${id}/refund`, { reason });
    expect((await refund("Too early")).status).toBe(409);
    await deliver(notice);
    expect((await refund("")).body).toMatchObject({ success: false, fields: { reason: "Add a reason" } });

    await credit(site.services.db, {
      userId: person.id,
      kind: "admin",
      amount: -1n,
      reference: `spent:${trade_no}`,
      reason: "Spent",
    });
    const short = await refund("Asked for by the payer");
    expect(short.body).toMatchObject({
      success: false,
      message: "Cannot deduct an amount exceeding the user's balance",
    });
    expect((await stored(trade_no)).status).toBe("success");
    expect(await balance()).toBe(4_999_999);

    await credit(site.services.db, {
      userId: person.id,
      kind: "gift",
      amount: 11n,
      reference: `gift:${trade_no}`,
      reason: "Gift",
    });
    const all = await Promise.all([0, 1, 2].map(() => refund("Asked for by the payer")));
    expect(all.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
    expect(await balance()).toBe(10);
    const row = all.find(({ status }) => status === 200)?.body.data;
    expect(row).toMatchObject({ status: "refunded", refund_reason: "Asked for by the payer" });
    const { db } = site.services;
    const entries = await db.ledgerEntry.findMany({ where: { kind: "refund", reference: trade_no } });
    expect(entries).toMatchObject([{ amount: -5_000_000n, user_id: person.id }]);
    const notes = await db.auditEntry.findMany({ where: { target_id: trade_no, action: "order.refund" } });
    expect(notes).toMatchObject([{ username: "the-cashier" }]);
    // The gateway's old notification, sent again, credits nothing.
    expect(await deliver(notice)).toMatchObject({ status: 200 });
    expect(await balance()).toBe(10);
    expect((await me.send("POST", `/api/payment/order/${id}/refund`, { reason: "Me" })).status).toBe(403);
  });

  it("is credited once when it is paid twice, and operators are notified", async () => {
    const { trade_no } = await open(await addGateway("epay"));
    await deliver(there.noticeOf(trade_no));
    const again = there.noticeOf(trade_no, { gatewayNo: "another-payment" });
    expect(await deliver(again)).toMatchObject({ status: 200 });
    expect(await deliver(again)).toMatchObject({ status: 200 });
    expect(await balance()).toBe(5_000_000);
    expect(await notices(trade_no)).toHaveLength(1);
  });

  it("is not paid by the payment of another order", async () => {
    const gateway = await addGateway("epay");
    const [one, other] = [await open(gateway), await open(gateway)];
    await deliver(there.noticeOf(one.trade_no));
    const { gatewayNo } = there.orders.get(one.trade_no)!;
    expect(await deliver(there.noticeOf(other.trade_no, { gatewayNo }))).toMatchObject({ status: 400 });
    expect(await balance()).toBe(5_000_000);
  });

  it("keeps its price when rates and fees change before the payment", async () => {
    const gateway = await addGateway("epay");
    const { trade_no, order_amount } = await open(gateway);
    await setting("PaymentUSDRate", 1);
    await setting("QuotaPerUnit", 1_000_000);
    await admin.send(
      "PUT",
      `/api/payment/${gateway.id}`,
      input("epay", { percent_fee: 0.5, currency: "USD" }),
    );
    expect(there.orders.get(trade_no)!.cents).toBe(Math.round(order_amount * 100));
    expect(await deliver(there.noticeOf(trade_no))).toMatchObject({ status: 200 });
    expect(await balance()).toBe(5_000_000);
    await setting("PaymentUSDRate", null);
    await setting("QuotaPerUnit", null);
  });

  it("moves its payer up to the group that was earned", async () => {
    const { db } = site.services;
    await db.userGroup.create({
      data: { symbol: "gold", name: "Gold", promotion: true, min: 15, max: 0 },
    });
    const gateway = await addGateway("epay");
    const groupNow = async () => (await db.user.findUniqueOrThrow({ where: { id: person.id } })).group;
    for (const group of ["default", "gold"]) {
      const { trade_no } = await open(gateway);
      await deliver(there.noticeOf(trade_no));
      expect(await groupNow()).toBe(group);
    }
    await db.userGroup.delete({ where: { symbol: "gold" } });
  });

  it("fails when the gateway rejects it, and operators are notified of the reason", async () => {
    const { webhook_secret } = there.configs.stripe;
    const gateway = await addGateway("stripe", { config: { secret_key: "sk_wrong", webhook_secret } });
    const answer = await me.send("POST", "/api/user/order", { uuid: gateway.uuid, amount: 10 });
    expect(answer).toMatchObject({ status: 400, body: { code: "upstream_refused" } });
    const [order] = await site.services.db.order.findMany({ where: { gateway_id: gateway.id } });
    expect(order).toMatchObject({
      status: "failed",
      trouble: "not_opened",
      trouble_facts: { reason: expect.stringContaining("401") as string },
    });
    const reported = await site.services.db.notice.findMany({ where: { topic: `payment:${gateway.id}` } });
    expect(reported).toHaveLength(1);
    expect(JSON.stringify(reported.map(({ facts }) => facts))).not.toContain("sk_wrong");
  });

  it("is closed after three hours, but not while its gateway does not respond", async () => {
    const answering = await addGateway("epay");
    const silent = await addGateway("epay", {
      config: { ...there.configs.epay, pay_domain: "http://127.0.0.1:9" },
    });
    const opened = await open(answering);
    const quiet = await me.send<OpenedOrder>("POST", "/api/user/order", { uuid: silent.uuid, amount: 10 });
    const trades = [opened.trade_no, quiet.body.data.trade_no];
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const { db } = site.services;
    const errors: unknown[] = [];
    const statuses = async () => {
      const rows = await Promise.all(trades.map(stored));
      return rows.map(({ status }) => status);
    };
    const watch = () => watchOrders(paymentDeps(site.services), (error) => errors.push(error));
    await db.order.updateMany({ where: { trade_no: { in: trades } }, data: { created_at: ago(2) } });
    await watch();
    expect(await statuses()).toEqual(["pending", "pending"]);
    await db.order.updateMany({
      where: { trade_no: { in: trades } },
      data: { created_at: ago(3.1), checked_at: null },
    });
    await watch();
    expect(await statuses()).toEqual(["closed", "pending"]);
    await db.order.updateMany({ where: { trade_no: { in: trades } }, data: { created_at: ago(25) } });
    await watch();
    expect(await statuses()).toEqual(["closed", "closed"]);
    expect(errors).not.toHaveLength(0);
  });

  it("is listed to its owner alone, and to administrators with every filter", async () => {
    const gateway = await addGateway("epay");
    const { trade_no } = await open(gateway);
    await deliver(there.noticeOf(trade_no));
    const mine = (await me.get<{ data: OwnOrder[]; total_count: number }>("/api/user/order")).body.data;
    expect(mine).toMatchObject({ total_count: 1, data: [{ trade_no, status: "success", amount: 10 }] });
    expect(Object.keys(mine.data[0]!)).not.toContain("gateway_no");
    const stranger = await site.as(await site.makeUser());
    expect((await stranger.get(`/api/user/order/status?trade_no=${trade_no}`)).status).toBe(404);
    expect((await stranger.send("POST", "/api/user/order/close", { trade_no })).status).toBe(404);

    const { gatewayNo } = there.orders.get(trade_no)!;
    const now = Math.floor(Date.now() / 1000);
    const find = async (query: string) => {
      const { body } = await admin.get<{ data: OrderRow[] }>(`/api/payment/order?size=100&${query}`);
      return body.data.data.some((row) => row.trade_no === trade_no);
    };
    const matching = [
      `user_id=${person.id}`,
      `username=${person.id}`,
      `username=${person.username.slice(1).toUpperCase()}`,
      `gateway_id=${gateway.id}`,
      `trade_no=${trade_no}`,
      `gateway_no=${gatewayNo}`,
      "status=success",
      `start_timestamp=${now - 60}&end_timestamp=${now + 60}`,
      "order=-created_at",
    ];
    for (const query of matching) expect(await find(query), query).toBe(true);
    const others = [
      "user_id=2147483647",
      "username=%25",
      "username=2147483647",
      `gateway_id=${gateway.id + 1000}`,
      "trade_no=x",
      "gateway_no=x",
      "status=pending",
      `start_timestamp=${now + 60}`,
      `end_timestamp=${now - 60}`,
    ];
    for (const query of others) expect(await find(query), query).toBe(false);
  });

  it("can be queried and closed by an administrator", async () => {
    const gateway = await addGateway("epay");
    const [paid, dropped] = [await open(gateway), await open(gateway)];
    there.pay(paid.trade_no);
    const checked = await admin.send<OrderRow>(
      "POST",
      `/api/payment/order/${(await stored(paid.trade_no)).id}/check`,
    );
    expect(checked.body.data).toMatchObject({ status: "success", username: person.username });
    const { id } = await stored(dropped.trade_no);
    const closed = await admin.send<OrderRow>("POST", `/api/payment/order/${id}/close`);
    expect(closed.body.data.status).toBe("closed");
  });

  it("leaves the ledger balanced", async () => {
    expect((await audit(site.database.pool)).drift).toBe(0n);
  });
});
