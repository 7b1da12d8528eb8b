import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EpaySite, startEpaySite } from "../support/epay-site.ts";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
let epay: EpaySite;

beforeAll(async () => {
  [site, epay] = await Promise.all([openSite({}, true), startEpaySite()]);
});
afterAll(async () => {
  await site.close();
  await epay.close();
});

interface Gateway {
  id: number;
  uuid: string;
  secrets_set: string[];
  percent_fee: number;
  notify_url: string;
}

async function gateways(): Promise<Gateway[]> {
  return (await site.api<{ data: Gateway[] }>("GET", "/payment?size=100")).data;
}

async function balance(): Promise<number> {
  return (await site.api<{ quota: number }>("GET", "/user/self")).quota;
}

describe("orders", () => {
  it("require the server address, and the screens show that", async () => {
    const page = await site.open("/panel/payment?tab=gateways");
    await page.getByText("Configure the server address before you accept payments").waitFor();
    await page.getByRole("link", { name: "Configure the server address" }).click();
    await page.getByLabel("Server address", { exact: true }).waitFor();
    await site.api("PUT", "/option/", { key: "ServerAddress", value: site.url });
  });
});

describe("payment gateways", () => {
  it("are created with the fields of their type, and show missing values at the field", async () => {
    const page = await site.open("/panel/payment?tab=gateways");
    await page.getByText("No payment gateways yet").waitFor();
    await page.getByRole("button", { name: "New payment gateway" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Name is required").waitFor();
    await form.getByLabel("Name").fill("Friendly Pay");
    await form.getByLabel("Address of the payment site").fill(epay.url);
    await form.getByLabel("Merchant ID (pid)").fill("1001");
    await form.getByLabel("Merchant key").fill(epay.key);
    await form.getByLabel("Percentage fee").fill("5");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Payment gateway saved").waitFor();
    const [made] = await gateways();
    expect(made).toMatchObject({ secrets_set: ["key"], percent_fee: 0.05 });

    await page.getByRole("row").filter({ hasText: "Friendly Pay" }).getByText("5%").waitFor();
    await page.getByRole("button", { name: "Edit" }).first().click();
    await expect.poll(() => form.getByLabel("Merchant key").inputValue()).toBe("");
    await expect
      .poll(() => form.getByLabel("Notification URL", { exact: true }).inputValue())
      .toBe(made!.notify_url);
    await form.getByLabel("Merchant ID (pid)").fill("1002");
    await form.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(async () => (await gateways())[0])
      .toMatchObject({ secrets_set: ["key"], config: { partner_id: "1002" } });
    await form.waitFor({ state: "hidden" });
    expect(await faults(page)).toEqual([]);
  });

  it("of another kind have other fields", async () => {
    const page = await site.open("/panel/payment?tab=gateways");
    await page.getByRole("button", { name: "New payment gateway" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: "WeChat Pay" }).click();
    await form.getByLabel("Name").fill("Scan");
    await form.getByLabel("Application ID").fill("wx1");
    await form.getByLabel("Merchant number").fill("1900000001");
    await form.getByLabel("Merchant certificate serial number").fill("AB");
    await form.getByLabel("Merchant private key").fill("this is no key");
    await form.getByLabel("APIv3 key").fill("short");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("The APIv3 key has 32 characters").waitFor();
    await form.getByLabel("APIv3 key").fill("0123456789abcdef0123456789abcdef");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("This is not an RSA private key").waitFor();
  });

  it("are sorted and disabled in the list", async () => {
    const page = await site.open("/panel/payment?tab=gateways");
    const field = page.getByLabel("Position of Friendly Pay");
    await field.fill("7");
    await field.press("Enter");
    await expect.poll(async () => (await gateways())[0]).toMatchObject({ sort: 7 });
    await page.getByRole("switch", { name: "Enable Friendly Pay" }).press("Space");
    await expect.poll(async () => (await gateways())[0]).toMatchObject({ enable: false });
    const topUp = await site.open("/panel/topup");
    await topUp.getByText("Redeem a code").waitFor();
    await topUp.getByText("Pay online").waitFor({ state: "detached" });
    await page.getByRole("switch", { name: "Enable Friendly Pay" }).press("Space");
    await expect.poll(async () => (await gateways())[0]).toMatchObject({ enable: true });
  });
});

describe("topping up online", () => {
  it("shows the price, opens the payment page, and shows the balance afterwards", async () => {
    await site.api("PUT", "/option", { key: "RechargeDiscount", value: '{"100": 0.9}' });
    await site.api("PUT", "/option", { key: "PaymentUSDRate", value: 7 });
    const before = await balance();
    const page = await site.open("/panel/topup");
    await page.getByRole("button", { name: "$100" }).click();
    // (100 × 0.9 + 100 × 0.9 × 5 %) × 7
    await page.getByText("−$10.00").waitFor();
    await page.getByText("$4.50", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pay ¥661.50" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Waiting for the payment…").waitFor();
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      dialog.getByRole("link", { name: "Open the payment page" }).click(),
    ]);
    await tab.getByRole("heading", { name: "661.50" }).waitFor();
    await tab.getByRole("link", { name: "Pay now" }).click();
    await dialog.getByText("Payment received").waitFor();
    await dialog.getByText("$100.00 was added to your balance.").waitFor();
    expect(await balance()).toBe(before + 50_000_000);
    // After the return from the gateway, the other tab shows the same.
    await tab.getByText("Payment received").waitFor();
    await tab.getByRole("button", { name: "Done" }).click();
    await expect.poll(() => new URL(tab.url()).search).toBe("");
    await dialog.getByRole("button", { name: "Done" }).click();
    const row = page.getByRole("row").filter({ hasText: "Friendly Pay" });
    await row.getByText("Paid", { exact: true }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it("detects the payment when the gateway's notification is lost", async () => {
    epay.tells = false;
    const before = await balance();
    const page = await site.open("/panel/topup");
    await page.getByLabel("Other amount in dollars").fill("3");
    await page.getByRole("button", { name: "Pay ¥22.05" }).click();
    const dialog = page.getByRole("dialog");
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      dialog.getByRole("link", { name: "Open the payment page" }).click(),
    ]);
    await tab.getByRole("link", { name: "Pay now" }).click();
    await dialog.getByText("Payment received").waitFor({ timeout: 30_000 });
    expect(await balance()).toBe(before + 1_500_000);
    epay.tells = true;
  });

  it("shows when the price has changed, and the new one", async () => {
    const page = await site.open("/panel/topup");
    await page.getByRole("button", { name: "$10", exact: true }).click();
    const pay = page.getByRole("button", { name: "Pay ¥73.50" });
    await pay.waitFor();
    await site.api("PUT", "/option", { key: "PaymentUSDRate", value: 8 });
    await pay.click();
    await page.getByText("The price has changed. Check it again before you pay.").first().waitFor();
    await page.getByRole("button", { name: "Pay ¥84.00" }).waitFor();
  });

  it("rejects amounts below the minimum and above the maximum", async () => {
    await site.api("PUT", "/option", { key: "PaymentMinAmount", value: 5 });
    const page = await site.open("/panel/topup");
    const own = page.getByLabel("Other amount in dollars");
    await own.fill("4");
    await page.getByText("At least $5").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Pay", exact: true }).isDisabled()).toBe(true);
    await own.fill("1000001");
    await page.getByText("The amount cannot exceed 1,000,000").waitFor();
    await site.api("PUT", "/option", { key: "PaymentMinAmount", value: 1 });
  });

  it("can be cancelled, and the order can be found until then", async () => {
    const page = await site.open("/panel/topup", { phone: true });
    await page.getByRole("button", { name: /^Pay ¥/ }).click();
    await page.getByRole("dialog").getByText("Waiting for the payment…").waitFor();
    // Also after a reload.
    await page.reload();
    await page.getByRole("button", { name: "Continue payment" }).first().click();
    await page.getByRole("dialog").getByRole("link", { name: "Open the payment page" }).waitFor();
    await page.getByRole("button", { name: "Cancel this order" }).click();
    await page.getByRole("listitem").filter({ hasText: "Order closed" }).first().waitFor();
  });
});

describe("the list of all orders", () => {
  it("shows who paid what, filters by status, and closes orders manually", async () => {
    const choice = (await gateways())[0]!;
    const { trade_no } = await site.api<{ trade_no: string }>("POST", "/user/order", {
      uuid: choice.uuid,
      amount: 20,
    });
    const page = await site.open("/panel/payment");
    const row = page.getByRole("row").filter({ hasText: trade_no });
    await row.getByText("root").waitFor();
    await row.getByText("$20.00").first().waitFor();
    await row.getByRole("button", { name: "Query the gateway" }).click();
    await page.getByText("The payment gateway has not reported a payment yet.").waitFor();
    await row.getByRole("button", { name: "Close order" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Close order" }).click();
    await row.getByText("Order closed", { exact: true }).waitFor();
    await page.goto("/panel/payment?status=success");
    await page.getByRole("row").filter({ hasText: "$100.00" }).first().waitFor();
    await expect.poll(() => page.getByRole("row").filter({ hasText: trade_no }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
  });

  it("is searched by part of the payer's name, and exported as filtered", async () => {
    const page = await site.open("/panel/payment?status=success");
    const who = page.getByRole("searchbox", { name: "Username or ID" });
    await who.fill("nobody");
    await page.getByText("No order matches").waitFor();
    await who.fill("OOT");
    await page.getByRole("row").filter({ hasText: "$100.00" }).first().waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    const [head = "", ...rows] = (await readFile(await (await download).path(), "utf8")).split("\r\n");
    expect(head).toContain("id,order_number,gateway_number");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.includes(",root,success,"))).toBe(true);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("row").filter({ hasText: "$100.00" }).first().waitFor();
  });

  it("is filtered by a day typed on the keyboard", async () => {
    const page = await site.open("/panel/payment");
    await page.getByRole("button", { name: "All time" }).click();
    await page.getByLabel("From", { exact: true }).focus();
    await page.keyboard.type("11022026");
    await page.getByRole("button", { name: "2026-11-02" }).waitFor();
    await expect.poll(() => page.getByLabel("From", { exact: true }).inputValue()).toBe("2026-11-02");
    await page.getByLabel("To", { exact: true }).focus();
    await page.keyboard.type("11032026");
    await page.getByRole("button", { name: "2026-11-02 – 2026-11-03" }).waitFor();
    // The field already contains a date, so each typed digit changes its year.
    await page.getByLabel("From", { exact: true }).focus();
    await page.keyboard.type("10042025");
    await page.getByRole("button", { name: "2025-10-04 – 2026-11-03" }).waitFor();
  });

  it("marks orders as refunded with a reason, which removes the credit", async () => {
    const before = await balance();
    const page = await site.open("/panel/payment?status=success");
    const row = page.getByRole("row").filter({ hasText: "$100.00" }).first();
    await row.getByRole("button", { name: "Mark as refunded" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Reverse the credit" }).click();
    await dialog.getByText("Add a reason").waitFor();
    await dialog.getByLabel("Reason").fill("Paid by mistake");
    await dialog.getByRole("button", { name: "Reverse the credit" }).click();
    await page.getByText("Marked as refunded").waitFor();
    expect(await balance()).toBe(before - 50_000_000);
    await page.goto("/panel/payment?status=refunded");
    await page.getByRole("row").filter({ hasText: "Refunded" }).getByLabel("Paid by mistake").waitFor();
    expect(await faults(page)).toEqual([]);
    await page.goto("/panel/log");
    await page
      .getByText(/^Refund of the order \w+: Paid by mistake$/)
      .first()
      .waitFor();
  });
});
