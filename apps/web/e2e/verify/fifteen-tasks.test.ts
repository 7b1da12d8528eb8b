/**
 * Frequent tasks of an operator, each with the mouse and with the keyboard alone. Each has a limit of clicks, fields and
 * estimated seconds, so that a task cannot become longer unnoticed.
 */
import { writeFile } from "node:fs/promises";
import type { UserDetail } from "@gateway/shared/accounts/user";
import type { Page } from "@playwright/test";
import { type Effort, Hands, type Mode } from "../support/hands.ts";
import { expect, test, type Site } from "../support/test.ts";

type Limits = { clicks: number; fields: number; seconds: number };

let site: Site;
let key: string;
let customer: UserDetail;
const efforts = new Map<string, Partial<Record<Mode, Effort>>>();

test.beforeAll(async ({ site: started }) => {
  site = started;
  const channel = { type: 900, groups: ["default"] };
  await site.api("POST", "/channel", { ...channel, name: "Main", models: ["demo-chat", "demo-think"] });
  await site.api("POST", "/channel", {
    ...channel,
    name: "Broken",
    key: "demo-fail-500",
    models: ["demo-chat"],
    priority: 10,
  });
  customer = await site.api("POST", "/user", {
    username: "acme",
    password: "hunter2hunter2",
    quota: 500_000,
  });
  ({ key } = await site.api<{ key: string }>("POST", "/token", { name: "app", unlimited_quota: true }));
  await call();
});
test.afterAll(async () => {
  const { FIFTEEN_TASKS: file } = process.env;
  const table = tableOf(efforts);
  console.log(table);
  if (file !== undefined) await writeFile(file, table);
});

async function call(): Promise<void> {
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
}

/** Runs a task in both modes, each from the first screen. */
function task(name: string, limits: Limits, steps: (hands: Hands, page: Page) => Promise<void>): void {
  for (const mode of ["mouse", "keyboard"] as const)
    test(`${name}, with the ${mode}`, async ({ page }) => {
      await page.goto("/panel/dashboard");
      await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
      const hands = new Hands(page, mode);
      await steps(hands, page);
      const { effort } = hands;
      efforts.set(name, { ...efforts.get(name), [mode]: effort });
      if (mode === "keyboard") expect(effort.clicks).toBe(0);
      else {
        expect(effort.clicks).toBeLessThanOrEqual(limits.clicks);
        expect(effort.fields).toBeLessThanOrEqual(limits.fields);
      }
      expect(effort.seconds).toBeLessThanOrEqual(limits.seconds);
    });
}

const dialog = (page: Page, name?: string | RegExp) =>
  page.getByRole("dialog", name === undefined ? {} : { name }).last();
const row = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text }).first();

test.describe("an operator", () => {
  task("adds an OpenAI channel", { clicks: 4, fields: 1, seconds: 10 }, async (hands, page) => {
    const before = await channels("OpenAI");
    if (hands.mode === "mouse") {
      await hands.goTo("Channels");
      await hands.use(page.getByRole("button", { name: "Add channel" }));
    } else await hands.command("add ch", "Add channel");
    const form = dialog(page, "Add channel");
    await hands.paste(form.getByLabel("API keys"), "sk-test");
    if (hands.mode === "mouse") await hands.use(form.getByRole("button", { name: "Add channel" }));
    else await hands.press("Control+Enter");
    await expect.poll(() => channels("OpenAI")).toBe(before + 1);
  });

  task("tests all channels", { clicks: 3, fields: 0, seconds: 10 }, async (hands, page) => {
    if (hands.mode === "mouse") {
      await hands.goTo("Channels");
      await hands.use(page.getByRole("button", { name: "Test all" }));
      await hands.use(dialog(page).getByRole("button", { name: "Test" }));
    } else {
      await hands.command("test all", "Test all channels");
      await dialog(page).getByRole("button", { name: "Test" }).waitFor();
      await hands.press("Enter");
    }
    await hands.see(page.getByText(/of \d+ tested|tested/));
  });

  task("sees why a call cost that much", { clicks: 2, fields: 0, seconds: 10 }, async (hands, page) => {
    await hands.goTo("Logs");
    await row(page, "demo-chat").waitFor();
    if (hands.mode === "mouse") await hands.use(row(page, "demo-chat").getByText("demo-chat"));
    else {
      await hands.press("j");
      await hands.press("Enter");
    }
    await hands.see(dialog(page).getByRole("heading", { name: "Bill", exact: true }));
  });

  task("sees why a call failed over", { clicks: 3, fields: 0, seconds: 10 }, async (hands, page) => {
    await hands.goTo("Logs");
    if (hands.mode === "mouse") {
      await hands.use(page.getByRole("button", { name: /^Retried \d/ }));
      await page.waitForURL(/retried=1/);
      await hands.use(row(page, "demo-chat").getByText("demo-chat"));
    } else {
      await row(page, "demo-chat")
        .getByRole("img", { name: /Retried/ })
        .waitFor();
      await hands.press("j");
      await hands.press("Enter");
    }
    await hands.see(dialog(page).getByRole("listitem").filter({ hasText: "HTTP 500" }));
  });

  task(
    "limits a customer to 10 dollars per month",
    { clicks: 3, fields: 1, seconds: 10 },
    async (hands, page) => {
      if (hands.mode === "mouse") {
        await hands.goTo("Users");
        await hands.use(row(page, "acme").getByRole("button", { name: /actions/i }));
        await hands.use(page.getByRole("menuitem", { name: "Set the budget" }));
      } else {
        await hands.command("limit cust", "Limit the spending of a user");
        await hands.pick(
          page.getByRole("combobox", { name: "User" }),
          "acme",
          page.getByRole("option", { name: "acme" }),
        );
      }
      const form = dialog(page, "Budget of acme");
      await hands.fill(form.getByLabel("Monthly limit"), "10");
      await hands.press("Enter");
      await form.waitFor({ state: "hidden" });
      const { budget } = await site.api<{ budget: { monthly_spend: number } }>(
        "GET",
        `/user/${customer.id}/budget`,
      );
      expect(budget.monthly_spend).toBe(5_000_000);
      await site.api("PUT", `/user/${customer.id}/budget`, { budget: null });
    },
  );

  task("gives a customer a key", { clicks: 4, fields: 0, seconds: 10 }, async (hands, page) => {
    if (hands.mode === "mouse") {
      await hands.goTo("Users");
      await hands.use(row(page, "acme").getByRole("button", { name: /actions/i }));
      await hands.use(page.getByRole("menuitem", { name: "New token" }));
    } else await hands.command("key for a cust", "New token for a user");
    const form = dialog(page, "New token for a user");
    const owner = form.getByRole("combobox", { name: "User" });
    if (hands.mode === "keyboard")
      await hands.pick(owner, "acme", page.getByRole("option", { name: /acme/ }));
    if (hands.mode === "mouse")
      await hands.use(form.getByRole("button", { name: "Create and copy the key" }));
    else await hands.press("Control+Enter");
    await page.getByText("Key copied").waitFor();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^sk-/);
  });

  task("raises the prices of a group by 20 %", { clicks: 4, fields: 0, seconds: 12 }, async (hands, page) => {
    await setRatio("vip", 1.5);
    if (hands.mode === "mouse") {
      await hands.goTo("User groups");
      await hands.use(row(page, "VIP").getByRole("button", { name: "Change prices" }));
    } else {
      await hands.command("raise", "Change the prices of a group");
      await hands.pick(
        dialog(page).getByRole("combobox", { name: "Group" }),
        "vip",
        page.getByRole("option", { name: /^VIP/ }),
      );
    }
    await hands.see(dialog(page).getByText("will cost $1.8"));
    await hands.use(dialog(page).getByRole("button", { name: "Change the prices" }));
    await expect.poll(() => ratioOf("vip")).toBe(1.8);
  });

  task("sees who spent most last week", { clicks: 1, fields: 0, seconds: 8 }, async (hands, page) => {
    await hands.goTo("Analytics");
    const card = page.locator("section, [class*=Card]").filter({ hasText: "Top users" }).last();
    await hands.see(card.getByText("root"));
  });

  task("disables a model everywhere", { clicks: 4, fields: 0, seconds: 10 }, async (hands, page) => {
    if (hands.mode === "mouse") {
      await hands.goTo("Available models");
      await hands.use(page.getByRole("link", { name: "demo-think", exact: true }));
      await hands.use(page.getByRole("button", { name: "Disable everywhere" }));
      await hands.use(dialog(page).getByRole("button", { name: "Disable everywhere" }));
    } else {
      await hands.command("disable demo-th", "Disable demo-think everywhere");
      await hands.use(dialog(page).getByRole("button", { name: "Disable everywhere" }));
    }
    await expect.poll(() => site.api("GET", "/disabled_models")).toEqual(["demo-think"]);
    await site.api("PUT", "/option", { key: "DisabledModels", value: null });
  });

  task("rotates the key of a channel", { clicks: 3, fields: 1, seconds: 10 }, async (hands, page) => {
    await hands.goTo("Channels");
    const menu = page.getByRole("button", { name: "More actions for Broken", exact: true });
    if (hands.mode === "mouse") {
      await hands.use(menu);
      await hands.use(page.getByRole("menuitem", { name: "Rotate the key", exact: true }));
    } else await hands.command("rotate bro", "Rotate the key of Broken");
    const form = dialog(page, "Rotate the key of Broken");
    await hands.paste(form.getByLabel("New API keys"), `demo-fail-500-${hands.mode}`);
    await hands.press("Control+Enter");
    await form.waitFor({ state: "hidden" });
    const { data } = await site.api<{ data: { id: number; name: string }[] }>(
      "GET",
      "/channel?keyword=Broken",
    );
    const keys = await site.api<{ hint: string }[]>("GET", `/channel/${data[0]?.id}/keys`);
    expect(keys).toHaveLength(1);
  });

  task("exports the log", { clicks: 2, fields: 0, seconds: 10 }, async (hands, page) => {
    await hands.goTo("Logs");
    const file = page.waitForEvent("download");
    await hands.use(page.getByRole("button", { name: "Export" }));
    expect((await file).suggestedFilename()).toMatch(/\.csv$/);
  });

  task("configures mail", { clicks: 1, fields: 2, seconds: 10 }, async (hands, page) => {
    await site.api("PUT", "/option/batch", { values: { SMTPServer: "", SMTPAccount: "", SMTPPort: 587 } });
    const answer = { success: true, message: "", data: { to: "gw@gmail.com" } };
    await page.route("**/api/option/mail/test", (route) => route.fulfill({ json: answer }));
    await hands.command("smtp", "Set up email");
    const account = page.getByRole("combobox", { name: "SMTP account", exact: true });
    await expect.poll(() => account.evaluate((field) => field === document.activeElement)).toBe(true);
    await hands.fill(account, "gw@g");
    await page.getByRole("option", { name: "gw@gmail.com", exact: true }).waitFor();
    await hands.press("Enter");
    await hands.press("Tab");
    const password = page.getByRole("textbox", { name: "SMTP password", exact: true });
    await hands.paste(password, `secret-${hands.mode}`);
    await hands.press("Enter");
    await hands.see(page.getByText("A test email was sent to gw@gmail.com"));
    expect(await site.api("GET", "/option")).toMatchObject({
      SMTPServer: "smtp.gmail.com",
      SMTPPort: 465,
      SMTPAccount: "gw@gmail.com",
    });
  });

  task(
    "adds an administrator with limited rights",
    { clicks: 3, fields: 1, seconds: 10 },
    async (hands, page) => {
      const name = hands.mode === "mouse" ? "helper1" : "helper2";
      if (hands.mode === "mouse") {
        await hands.goTo("Users");
        await hands.use(page.getByRole("button", { name: "New user" }));
      } else await hands.command("new user", "New user");
      const form = dialog(page, "New user");
      await hands.fill(form.getByLabel("Username"), name);
      await hands.use(form.getByRole("button", { name: "Customer support" }));
      await hands.press("Control+Enter");
      await dialog(page, `${name} created`).waitFor();
      const { data } = await site.api<{ data: UserDetail[] }>("GET", `/user?keyword=${name}`);
      const made = await site.api<UserDetail>("GET", `/user/${data[0]?.id}`);
      expect(made).toMatchObject({ role: 10, permissions: { users: "edit", logs: "view" } });
    },
  );

  task("connects Claude Code", { clicks: 3, fields: 0, seconds: 10 }, async (hands, page) => {
    await hands.goTo("Connect a client", "claude");
    await page.locator("pre").first().waitFor();
    await hands.use(page.getByRole("button", { name: /^Copy/ }).first());
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/claude-code|ANTHROPIC/);
  });

  task("sees the health of the service", { clicks: 0, fields: 0, seconds: 5 }, async (hands, page) => {
    await hands.see(page.getByRole("row").filter({ hasText: "Main" }).getByText("Healthy"));
    await hands.see(page.getByRole("region", { name: "Error rate" }));
  });
});

async function channels(keyword: string): Promise<number> {
  return (await site.api<{ total_count: number }>("GET", `/channel?keyword=${keyword}`)).total_count;
}

type GroupRow = { id: number; symbol: string; ratio: number };
const groupOf = async (symbol: string) => {
  const { data } = await site.api<{ data: GroupRow[] }>("GET", "/user_group?size=100");
  return data.find((group) => group.symbol === symbol);
};
const ratioOf = async (symbol: string) => (await groupOf(symbol))?.ratio;
const setRatio = async (symbol: string, ratio: number) =>
  site.api("PUT", `/user_group/${(await groupOf(symbol))?.id}`, { ratio });

function tableOf(measured: typeof efforts): string {
  const lines = [...measured].map(([name, { mouse, keyboard }]) =>
    [name, mouse?.clicks, mouse?.fields, mouse?.seconds, keyboard?.keys, keyboard?.seconds].join(" | "),
  );
  return [
    "| An operator … | clicks | fields | seconds | keys | seconds |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...lines.map((line) => `| ${line} |`),
    "",
  ].join("\n");
}
