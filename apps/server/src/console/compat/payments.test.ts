import { afterAll, beforeAll, expect, it } from "vitest";
import { signatureOf } from "#payments/epay.ts";
import { openPaymentGateways } from "#payments/index.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type PaymentStandIns, startPaymentStandIns } from "#test/payment-stand-ins.ts";
import { type Row, type Rows, type Script, scriptOf } from "./script.fixture.ts";

let there: PaymentStandIns;
let site: TestConsole;
let admin: Script;
let payer: Script;

beforeAll(async () => {
  there = await startPaymentStandIns();
  site = await buildConsole({ paymentGateways: openPaymentGateways(there.at) });
  admin = await scriptOf(site, await site.makeUser({ role: 10 }));
  payer = await scriptOf(site, await site.makeUser({ role: 1 }));
  await site.services.settings.change(
    { id: null, username: "", ip: "" },
    { ServerAddress: "https://ai.example.com" },
  );
});
afterAll(async () => {
  await site.close();
  await there.close();
});

async function addEpay(): Promise<Row> {
  const body = { type: "epay", name: "Epay", currency: "CNY", config: JSON.stringify(there.configs.epay) };
  const answer = await admin.send("POST", "/payment/", body);
  expect(answer).toMatchObject({ sent: 201, success: true, message: "Payment added successfully" });
  return answer.data;
}

it("payments: config is JSON in a text without secrets, and a row written back keeps them", async () => {
  const made = await addEpay();
  expect(JSON.parse(String(made["config"]))).toMatchObject({ pay_domain: there.configs.epay["pay_domain"] });
  expect(String(made["config"])).not.toContain(there.configs.epay["key"]);
  const { data } = await admin.get<Rows>("/payment/?page=1&size=10");
  const row = data.data.find((each) => each.id === made.id);
  expect(await admin.send("PUT", "/payment/", row)).toMatchObject({ sent: 200, success: true });
  expect(await admin.send("PUT", "/payment/", { id: made.id, sort: 9 })).toMatchObject({ success: true });
  expect(await admin.send("PUT", "/payment/", { id: made.id, name: "Renamed" })).toMatchObject({
    success: true,
    data: { name: "Renamed", sort: 9, config: made["config"] },
  });
});

it("payments: an invalid gateway is rejected with 500, and deleting an unknown one succeeds", async () => {
  expect(await admin.send("POST", "/payment/", { type: "epay", name: "x", currency: "CNY" })).toMatchObject({
    sent: 500,
    status: 400,
    success: false,
  });
  expect(await admin.send("DELETE", "/payment/999999")).toMatchObject({ sent: 200, success: true });
});

it("orders: an Epay order is a form whose fields contain the signature, and its status reports whether it is paid", async () => {
  const gateway = await addEpay();
  const order = await payer.send("POST", "/user/order", { uuid: gateway["uuid"], amount: 10 });
  expect(order).toMatchObject({ success: true, data: { type: 1, data: { method: "POST" } } });
  const { url, params } = order.data["data"] as { url: string; params: Record<string, string> };
  expect(url).toMatch(/\/submit\.php$/);
  expect(params).toMatchObject({ out_trade_no: order.data["trade_no"], sign_type: "MD5", money: "73.00" });
  expect(params["sign"]).toBe(signatureOf(params, String(there.configs.epay["key"])));

  const status = `/user/order/status?trade_no=${String(order.data["trade_no"])}`;
  expect(await payer.get(status)).toMatchObject({ sent: 200, success: false });
  await site.services.db.order.updateMany({ data: { status: "success" } });
  expect(await payer.get(status)).toMatchObject({ sent: 200, success: true });
});
