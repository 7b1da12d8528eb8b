import type { OpenedOrder, OrderState } from "@gateway/shared/billing/order";
import type { PaymentRow } from "@gateway/shared/billing/payment";
import { PaymentType } from "@gateway/shared/billing/payment-config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPaymentGateways } from "#payments/index.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { type PaymentStandIns, startPaymentStandIns } from "#test/payment-stand-ins.ts";

/** Top-ups over real sockets, through two nodes with one database. */
let there: PaymentStandIns;
let gateway: TestGateway;
let beside: TestGateway;

beforeAll(async () => {
  there = await startPaymentStandIns();
  const options = { paymentGateways: openPaymentGateways(there.at), mayReach: () => true };
  gateway = await startTestGateway({}, undefined, options);
  beside = await startTestGateway({}, gateway, options);
  await gateway.api("PUT", "/option", { key: "ServerAddress", value: gateway.url });
});
afterAll(async () => {
  await beside.stop();
  await gateway.stop();
  await there.close();
});

const balance = async () => (await gateway.api<{ quota: number }>("GET", "/user/self")).quota;

describe.each(PaymentType.options)("a top-up through %s", (type) => {
  it("creates and pays an order, notifies both nodes at once, and credits it once", async () => {
    const currency = type === "stripe" ? "USD" : "CNY";
    const { uuid, notify_url } = await gateway.api<PaymentRow>("POST", "/payment", {
      type,
      name: type,
      icon: "card",
      currency,
      config: there.configs[type],
    });
    const before = await balance();
    const opened = await gateway.api<OpenedOrder>("POST", "/user/order", { uuid, amount: 25 });
    if (type === "epay") await fetch(opened.data.url);
    const { trade_no } = opened;
    there.orders.get(trade_no)!.notifyUrl = notify_url;
    there.pay(trade_no);
    const { method, url, headers, body } = there.noticeOf(trade_no);
    const other = url.replace(gateway.url, beside.url);
    const reported = await Promise.all(
      [url, other, url, other].map((to) =>
        fetch(to, { method, headers, ...(method === "POST" ? { body } : {}) }),
      ),
    );
    expect(reported.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await balance()).toBe(before + 12_500_000);
    const state = await beside.api<OrderState>("GET", `/user/order/status?trade_no=${trade_no}`);
    expect(state).toMatchObject({ status: "success", quota: 12_500_000 });
    expect(await gateway.drift()).toBe(0n);
  });
});

describe("the payment notification endpoint", () => {
  it("reveals nothing to guessed requests, and rejects large bodies", async () => {
    expect((await fetch(`${gateway.url}/api/payment/notify/nobody`)).status).toBe(200);
    const { notify_url } = (await gateway.api<{ data: PaymentRow[] }>("GET", "/payment?type=epay")).data[0]!;
    const flood = await fetch(notify_url, { method: "POST", body: "x".repeat(100_000) });
    expect(flood.status).toBe(413);
    const foreign = await fetch(notify_url, { method: "POST", headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
    for (const [type, body] of [
      ["application/json", "{"],
      ["multipart/form-data; boundary=x", "--x"],
      ["application/x-www-form-urlencoded", "__proto__=1&sign=x"],
    ] as const) {
      const answer = await fetch(notify_url, { method: "POST", headers: { "content-type": type }, body });
      expect([answer.status, await answer.text()], type).toEqual([400, "fail"]);
    }
  });
});
