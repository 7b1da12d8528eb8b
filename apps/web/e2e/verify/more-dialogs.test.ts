/** Dialogs and drawers that need mail, payments, sign-in providers or tasks, examined by axe. */
import type { OpenedOrder } from "@gateway/shared/billing/order";
import type { Page } from "@playwright/test";
import { startWeChat, type WireServer } from "../../../server/test/identity-providers.ts";
import { type EpaySite, startEpaySite } from "../support/epay-site.ts";
import { furnish } from "../support/furnish.ts";
import { rootUser } from "../support/installation.ts";
import { type MailBox, openMailBox } from "../support/mail-box.ts";
import { click, expectNoFaults, type Opening } from "../support/screens/openings.ts";
import type { Site } from "../support/test.ts";
import { expect, test } from "../support/test.ts";

test.use({ gateway: { local: true } });

let site: Site;
let epay: EpaySite;
let box: MailBox;
let wechat: WireServer;
const month = "2026-10-01";

test.beforeAll(async ({ site: started }) => {
  site = started;
  [epay, box, wechat] = await Promise.all([startEpaySite(), openMailBox(), startWeChat()]);
  await furnish(site);
  await site.api("PUT", "/option/batch", {
    values: {
      ServerAddress: site.url,
      SMTPServer: "127.0.0.1",
      SMTPPort: box.port,
      SMTPFrom: "gateway@example.com",
      SMTPRequireTLS: false,
      WeChatServerAddress: wechat.url,
      WeChatServerToken: wechat.credentials.secret,
      TelegramBotToken: "1:wrong",
      TelegramBotUsername: "a_bot",
    },
  });
  await site.api("PUT", "/option/batch", { values: { WeChatAuthEnabled: true } });
  await site.api("POST", "/channel", {
    type: 900,
    groups: ["default"],
    models: ["suno_lyrics"],
    name: "Studio",
  });
  const gateway = await site.api<{ uuid: string }>("POST", "/payment", {
    type: "epay",
    name: "Friendly Pay",
    icon: "alipay",
    currency: "CNY",
    percent_fee: 0,
    fixed_fee: 0,
    notify_domain: "",
    sort: 1,
    enable: true,
    config: { pay_domain: epay.url, partner_id: "1001", key: epay.key },
  });
  await paidOrder(gateway.uuid);
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "studio" });
  await fetch(`${site.url}/suno/submit/lyrics`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "Words about boats" }),
  });
});
test.afterAll(() => Promise.all([epay.close(), box.close(), wechat.close()]));

/** An order that was paid, for the refund. */
async function paidOrder(uuid: string): Promise<void> {
  const { data, trade_no } = await site.api<OpenedOrder>("POST", "/user/order", { uuid, amount: 20 });
  const opened = await fetch(data.url);
  expect(opened.status).toBe(200);
  const paid = await fetch(`${epay.url}/pay?out_trade_no=${trade_no}`, { redirect: "manual" });
  expect(paid.status).toBe(302);
}

const fillIn = (page: Page, label: string | RegExp, text: string) =>
  page.getByRole("dialog").last().getByLabel(label).first().fill(text);

/** A month is closed after its end; this installation is younger. */
async function closedMonth(page: Page): Promise<void> {
  const sums = {
    request_count: 12,
    quota: 250_000,
    prompt_tokens: 4_100,
    completion_tokens: 900,
    request_time: 9_000,
  };
  const answers: Record<string, unknown> = {
    "": [{ date: month, closed_at: 1_795_000_000, users: 1, quota: 250_000 }],
    "/users": { data: [{ user_id: 1, username: "root", ...sums }], page: 1, size: 10, total_count: 1 },
    "/detail": [{ date: month, model_name: "demo-chat", ...sums }],
  };
  await page.route("**/api/analytics/statements**", (route) => {
    const path = new URL(route.request().url()).pathname.replace(/^.*statements/, "");
    return route.fulfill({ json: { success: true, message: "", data: answers[path] } });
  });
  await page.reload();
  await page.getByRole("row").filter({ hasText: "root" }).click();
}

const openings: Opening[] = [
  {
    what: "the email address",
    path: "/panel/profile?tab=security",
    open: (page) => click(page, "Add address"),
  },
  {
    what: "the code of an email address",
    path: "/panel/profile?tab=security",
    open: async (page) => {
      await click(page, "Add address");
      await fillIn(page, "New address", "root@example.com");
      await fillIn(page, "Current password", rootUser.password);
      await click(page, "Send code");
      await page.getByRole("dialog").getByLabel("Verification code").waitFor();
    },
  },
  {
    what: "a change of owner",
    path: "/panel/token?view=all&edit=1",
    open: async (page) => {
      const drawer = page.getByRole("dialog");
      await drawer.getByRole("combobox", { name: "User" }).fill("penny");
      await page.getByRole("option", { name: "penny" }).click();
      await drawer.getByText("The old key stops working immediately").waitFor();
    },
  },
  {
    what: "unsaved changes",
    path: "/panel/token?edit=1",
    open: async (page) => {
      await fillIn(page, "Name", "another");
      await click(page, "Cancel");
      await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    },
  },
  {
    what: "a new customer's message",
    path: "/panel/user?customer=new",
    open: async (page) => {
      await fillIn(page, "Username", "customer");
      await click(page, "Create customer");
      await page.getByRole("dialog", { name: "customer created" }).waitFor();
    },
  },
  { what: "a refund", path: "/panel/payment", open: (page) => click(page, "Mark as refunded") },
  {
    what: "a payment",
    path: "/panel/topup",
    waits: true,
    open: async (page) => {
      await click(page, /^Pay ¥/);
      await page.getByRole("dialog").getByText("Waiting for the payment…").waitFor();
    },
  },
  { what: "a statement", path: "/panel/analytics?tab=statements", open: closedMonth },
  {
    what: "the statements to create again",
    path: "/panel/analytics?tab=statements",
    open: async (page) => {
      await closedMonth(page);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await click(page, "Regenerate");
    },
  },
  { what: "the tests of a channel", path: "/panel/channel", open: (page) => click(page, /^Test demo/) },
  {
    what: "the history of tests",
    path: "/panel/channel",
    open: async (page) => {
      await click(page, /^Test demo/);
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Test demo-chat Default/ })
        .click();
      await page
        .getByRole("dialog")
        .getByText(/ ms$| s$/)
        .first()
        .waitFor();
      await click(page, "History");
      await page.getByRole("dialog", { name: /demo/ }).last().waitFor();
    },
  },
  {
    what: "the check of a model",
    path: "/panel/channel",
    open: async (page) => {
      await click(page, /^Test demo/);
      await click(page, "Verify the model");
      await page
        .getByRole("dialog")
        .last()
        .getByRole("button", { name: /Verify|Start|Check/ })
        .first()
        .click();
    },
  },
  { what: "a task", path: "/panel/task", open: (page) => page.locator("tbody tr[data-row]").first().click() },
  { what: "WeChat", path: "/login", guest: true, open: (page) => click(page, "WeChat") },
  {
    what: "Telegram",
    path: "/panel/profile?tab=security",
    open: (page) => click(page, "Connect"),
  },
  {
    what: "the code for Telegram",
    path: "/panel/profile?tab=security",
    open: async (page) => {
      await click(page, "Connect");
      await fillIn(page, "Current password", rootUser.password);
      await click(page, "Continue");
      await page.getByRole("link", { name: "Open Telegram" }).waitFor();
    },
  },
  {
    what: "the notice",
    path: "/panel/dashboard",
    open: async (page) => {
      await site.api("PUT", "/option", { key: "Notice", value: "Maintenance on **Sunday**" });
      await page.reload();
      await page.getByRole("dialog", { name: "Notice" }).getByText("Sunday").waitFor();
      await site.api("PUT", "/option", { key: "Notice", value: "" });
    },
  },
  {
    what: "the notifications",
    path: "/panel/channel",
    open: (page) => click(page, /^Notifications/),
  },
  {
    what: "the parameters of the playground",
    path: "/panel/playground",
    open: (page) => click(page, "System prompt and parameters"),
  },
  {
    what: "the chats of the playground on a phone",
    path: "/panel/playground",
    phone: true,
    open: (page) => click(page, "Chats"),
  },
  {
    what: "the import of settings",
    path: "/panel/setting",
    open: async (page) => {
      await click(page, "More");
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("menuitem", { name: "Import settings" }).click(),
      ]);
      await chooser.setFiles({
        name: "settings.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify({ values: { SystemName: "Theirs", Unheard: 1 } })),
      });
      await page.getByRole("dialog").getByText("Theirs").waitFor();
    },
  },
];

for (const opening of openings) test(`${opening.what} is accessible`, () => expectNoFaults(site, opening));
