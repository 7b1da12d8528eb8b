import { readFile } from "node:fs/promises";
import type { OpenedOrder } from "@gateway/shared/billing/order";
import type { Page } from "@playwright/test";
import { type EpaySite, startEpaySite } from "../support/epay-site.ts";
import { faults } from "../support/faults.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import { openScreen, rowOf } from "./common-steps.ts";

test.use({ gateway: { local: true } });

let site: Site;
let epay: EpaySite;

test.beforeAll(async ({ site: started }) => {
  site = started;
  epay = await startEpaySite();
});
test.afterAll(() => epay.close());

interface Gateway {
  id: number;
  uuid: string;
  name: string;
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

const set = (key: string, value: unknown) => site.api("PUT", "/option", { key, value });

async function fillEpay(form: ReturnType<Page["getByRole"]>): Promise<void> {
  await form.getByLabel("Name").fill("Friendly Pay");
  await form.getByLabel("Address of the payment site").fill(epay.url);
  await form.getByLabel("Merchant ID (pid)").fill("1001");
  await form.getByLabel("Merchant key").fill(epay.key);
  await form.getByLabel("Percentage fee").fill("0.05");
}

test(
  "a payment gateway is created with the fields of its type, changed, sorted, disabled and deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    const form = page.getByRole("dialog");
    await page.goto("/panel/payment?tab=gateways");

    await test.step("orders require the server address, and the screen links to it", async () => {
      await page.getByText("Configure the server address before you accept payments").waitFor();
      await page.getByRole("link", { name: "Configure the server address" }).click();
      await page.getByLabel("Server address", { exact: true }).waitFor();
      await set("ServerAddress", site.url);
      await goTo(page, "/panel/payment?tab=gateways");
    });

    await test.step("the fields of WeChat Pay are checked", async () => {
      await page.getByText("No payment gateways yet").waitFor();
      await page.getByRole("button", { name: "New payment gateway" }).first().click();
      await form.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: "WeChat Pay" }).click();
      await form.getByLabel("Application ID").fill("wx1");
      await form.getByLabel("Merchant number").fill("1900000001");
      await form.getByLabel("Merchant certificate serial number").fill("AB");
      await form.getByLabel("Merchant private key").fill("this is no key");
      await form.getByLabel("APIv3 key").fill("short");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("Name is required").waitFor();
      await form.getByText("The APIv3 key has 32 characters").waitFor();
      await form.getByLabel("Name").fill("Scan");
      await form.getByLabel("APIv3 key").fill("0123456789abcdef0123456789abcdef");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("This is not an RSA private key").waitFor();
      await form.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Discard changes" }).click();
      await expect(form).toHaveCount(0);
    });

    await test.step("an epay gateway is saved, and its key is not shown again", async () => {
      await page.getByRole("button", { name: "New payment gateway" }).first().click();
      await fillEpay(form);
      await form.getByRole("button", { name: "Save" }).click();
      await rowOf(page, "Friendly Pay").getByText("5%").waitFor();
      const [created] = await gateways();
      expect(created).toMatchObject({ secrets_set: ["key"], percent_fee: 0.05 });
      await page.getByRole("button", { name: "Edit" }).first().click();
      await expect(form.getByLabel("Merchant key")).toHaveValue("");
      await expect(form.getByLabel("Notification URL", { exact: true })).toHaveValue(created!.notify_url);
      await form.getByLabel("Merchant ID (pid)").fill("1002");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      expect((await gateways())[0]).toMatchObject({ secrets_set: ["key"], config: { partner_id: "1002" } });
    });

    await test.step("it is sorted, disabled and deleted, and users no longer see it", async () => {
      const position = page.getByLabel("Position of Friendly Pay");
      await position.fill("7");
      await position.press("Enter");
      await expect.poll(async () => (await gateways())[0]).toMatchObject({ sort: 7 });
      await page.getByRole("switch", { name: "Enable Friendly Pay" }).press("Space");
      await expect.poll(async () => (await gateways())[0]).toMatchObject({ enable: false });
      await openScreen(page, "Top up");
      await page.getByText("Redeem a code").waitFor();
      await expect(page.getByText("Pay online")).toHaveCount(0);
      await goTo(page, "/panel/payment?tab=gateways");
      await rowOf(page, "Friendly Pay").hover();
      await rowOf(page, "Friendly Pay").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("No payment gateways yet").waitFor();
    });
  },
);

test.describe("an order", () => {
  let uuid = "";

  test.beforeAll(async () => {
    await set("ServerAddress", site.url);
    await set("RechargeDiscount", '{"100": 0.9}');
    await set("PaymentUSDRate", 7);
    await site.api("POST", "/payment", {
      type: "epay",
      name: "Everyday Pay",
      icon: "card",
      currency: "CNY",
      percent_fee: 0.05,
      config: { pay_domain: epay.url, partner_id: "1001", key: epay.key },
    });
    uuid = (await gateways()).find(({ name }) => name === "Everyday Pay")?.uuid ?? "";
  });

  const openOrder = (amount: number) => site.api<OpenedOrder>("POST", "/user/order", { uuid, amount });

  /** Opens an order and pays it. Returns its number. */
  async function payOrder(amount: number): Promise<string> {
    const { trade_no, data } = await openOrder(amount);
    const query = new URLSearchParams(data.params).toString();
    await fetch(query === "" ? data.url : `${data.url}?${query}`);
    await fetch(`${epay.url}/pay?out_trade_no=${trade_no}`, { redirect: "manual" });
    return trade_no;
  }

  test("shows its price, opens the payment page, and credits the balance, also without a notification", async ({
    page,
  }) => {
    const before = await balance();
    const dialog = page.getByRole("dialog");
    const openPaymentPage = async () => {
      const tab = page.context().waitForEvent("page");
      await dialog.getByRole("link", { name: "Open the payment page" }).click();
      return tab;
    };
    await page.goto("/panel/topup");

    await test.step("the price has discount, fee and exchange rate", async () => {
      await page.getByRole("button", { name: "$100" }).click();
      // (100 × 0.9 + 100 × 0.9 × 5 %) × 7
      await page.getByText("−$10.00").waitFor();
      await page.getByText("$4.50", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Pay ¥661.50" }).click();
      await dialog.getByText("Waiting for the payment…").waitFor();
    });

    await test.step("a payment is shown in both tabs, and credited", async () => {
      const tab = await openPaymentPage();
      await tab.getByRole("heading", { name: "661.50" }).waitFor();
      await tab.getByRole("link", { name: "Pay now" }).click();
      await dialog.getByText("Payment received").waitFor();
      await dialog.getByText("$100.00 was added to your balance.").waitFor();
      expect(await balance()).toBe(before + 50_000_000);
      await tab.getByText("Payment received").waitFor();
      await tab.getByRole("button", { name: "Done" }).click();
      await expect.poll(() => new URL(tab.url()).search).toBe("");
      await tab.close();
      await dialog.getByRole("button", { name: "Done" }).click();
      await rowOf(page, "Everyday Pay").getByText("Paid", { exact: true }).waitFor();
    });

    await test.step("a payment is detected when the notification of the gateway is lost", async () => {
      epay.tells = false;
      await page.getByLabel("Other amount in dollars").fill("3");
      await page.getByRole("button", { name: "Pay ¥22.05" }).click();
      const tab = await openPaymentPage();
      const link = await tab.getByRole("link", { name: "Pay now" }).getAttribute("href");
      // In the browser the payer would return to the console, which loads another page.
      await fetch(new URL(link ?? "", epay.url), { redirect: "manual" });
      await dialog.getByText("Payment received").waitFor();
      expect(await balance()).toBe(before + 51_500_000);
      epay.tells = true;
    });
  });

  test(
    "has an amount within the limits and a current price, and can be continued or cancelled",
    { tag: "@nightly" },
    async ({ page }) => {
      await set("PaymentMinAmount", 5);
      const amount = page.getByLabel("Other amount in dollars");
      const dialog = page.getByRole("dialog");
      await page.goto("/panel/topup");

      await test.step("amounts below the minimum and above the maximum are rejected", async () => {
        await amount.fill("4");
        await page.getByText("At least $5").waitFor();
        await expect(page.getByRole("button", { name: "Pay", exact: true })).toBeDisabled();
        await amount.fill("1000001");
        await page.getByText("Amount cannot exceed 1000000").waitFor();
      });

      await test.step("a changed price is shown before the payment", async () => {
        await page.getByRole("button", { name: "$10", exact: true }).click();
        const pay = page.getByRole("button", { name: "Pay ¥73.50" });
        await pay.waitFor();
        await set("PaymentUSDRate", 8);
        await pay.click();
        await page.getByText("The price has changed. Check it again before you pay.").first().waitFor();
        await page.getByRole("button", { name: "Pay ¥84.00" }).click();
        await dialog.getByText("Waiting for the payment…").waitFor();
      });

      await test.step("an open order is continued later, and cancelled", async () => {
        await goTo(page, "/panel/dashboard");
        await expect(dialog).toHaveCount(0);
        await openScreen(page, "Top up");
        await page.getByRole("button", { name: "Continue payment" }).first().click();
        await dialog.getByRole("link", { name: "Open the payment page" }).waitFor();
        await page.getByRole("button", { name: "Cancel this order" }).click();
        await rowOf(page, "Order closed").first().waitFor();
      });
      await set("PaymentMinAmount", 1);
      await set("PaymentUSDRate", 7);
    },
  );

  test(
    "is listed for administrators, who query, close, search and export orders",
    { tag: "@nightly" },
    async ({ page }) => {
      const open = (await openOrder(20)).trade_no;
      const paid = await payOrder(50);
      await page.goto("/panel/payment");

      await test.step("an unpaid order is queried and closed", async () => {
        await rowOf(page, open).getByText("root").waitFor();
        await rowOf(page, open).getByText("$20.00").first().waitFor();
        await rowOf(page, open).getByRole("button", { name: "Query the gateway" }).click();
        await page.getByText("The payment gateway has not reported a payment yet.").waitFor();
        await rowOf(page, open).getByRole("button", { name: "Close order" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Close order" }).click();
        await rowOf(page, open).getByText("Order closed", { exact: true }).waitFor();
      });

      await test.step("the list is filtered by a day that is typed on the keyboard", async () => {
        const type = async (field: string, digits: string) => {
          await page.getByLabel(field, { exact: true }).focus();
          await page.keyboard.type(digits);
        };
        await page.getByRole("button", { name: "All time" }).click();
        await type("From", "11022026");
        await page.getByRole("button", { name: "2026-11-02" }).waitFor();
        await expect(page.getByLabel("From", { exact: true })).toHaveValue("2026-11-02");
        await type("To", "11032026");
        await page.getByRole("button", { name: "2026-11-02 – 2026-11-03" }).waitFor();
        // The field already contains a date, so each typed digit changes its year.
        await type("From", "10042025");
        await page.getByRole("button", { name: "2025-10-04 – 2026-11-03" }).waitFor();
      });

      await test.step("paid orders are searched by part of the payer's name, and exported as filtered", async () => {
        await goTo(page, "/panel/payment?status=success");
        await rowOf(page, paid).waitFor();
        await expect(rowOf(page, open)).toHaveCount(0);
        const payer = page.getByRole("searchbox", { name: "Username or ID" });
        await payer.fill("nobody");
        await page.getByText("No order matches").waitFor();
        await payer.fill("OOT");
        await rowOf(page, paid).waitFor();
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: "Export as CSV" }).click();
        const [head = "", ...rows] = (await readFile(await (await download).path(), "utf8")).split("\r\n");
        expect(head).toContain("id,order_number,gateway_number");
        expect(rows.some((row) => row.includes(paid))).toBe(true);
        expect(rows.every((row) => row.includes(",root,success,"))).toBe(true);
        await page.getByRole("button", { name: "Refresh" }).click();
        await rowOf(page, paid).waitFor();
      });
    },
  );

  test(
    "is marked as refunded with a reason, which removes the credit",
    { tag: "@nightly" },
    async ({ page }) => {
      const paid = await payOrder(60);
      const before = await balance();
      const dialog = page.getByRole("dialog");
      await page.goto("/panel/payment?status=success");
      await rowOf(page, paid).getByRole("button", { name: "Mark as refunded" }).click();
      await dialog.getByRole("button", { name: "Reverse the credit" }).click();
      await dialog.getByText("Add a reason").waitFor();
      await dialog.getByLabel("Reason").fill("Paid by mistake");
      await dialog.getByRole("button", { name: "Reverse the credit" }).click();
      await page.getByText("Marked as refunded").waitFor();
      expect(await balance()).toBe(before - 30_000_000);
      await goTo(page, "/panel/payment?status=refunded");
      await rowOf(page, paid).getByLabel("Paid by mistake").waitFor();
      expect(await faults(page)).toEqual([]);
      await openScreen(page, "Logs");
      const entry = page.getByText(`Refund of the order ${paid}: Paid by mistake`, { exact: true });
      await entry.first().waitFor();
    },
  );
});
