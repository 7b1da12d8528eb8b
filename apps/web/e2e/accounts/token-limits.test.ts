/** Options of a token that the gateway applies to its calls: limits, a billing tag, cached and stored responses. */
import type { LogPage } from "@gateway/shared/usage/log";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import { addDemoChannel, callModel, openScreen, rowOf } from "./common-steps.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  await addDemoChannel(site);
});

test(
  "limits of a token are applied by the gateway, and shown next to the usage and with a refused call",
  { tag: "@nightly" },
  async ({ page }) => {
    const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Limited" });
    const ask = async () => (await callModel(site, key)).status;
    const drawer = page.getByRole("dialog", { name: "Edit “Limited”" });
    await page.goto("/panel/token");

    await test.step("they are set in the form and shown in the list", async () => {
      await rowOf(page, "Limited").click();
      await drawer.getByLabel("Requests per minute").fill("2");
      await drawer.getByLabel("Daily spend (USD)").fill("1.5");
      await drawer.getByRole("button", { name: "Save" }).click();
      await rowOf(page, "Limited").getByRole("img", { name: "2 requests per minute, $1.50 a day" }).waitFor();
      expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    });

    await test.step("the log shows the limit that refused a call", async () => {
      await openScreen(page, "Logs");
      await rowOf(page, "Limited").filter({ hasText: "Rate limit reached" }).first().click();
      await page.getByText("This API key may send 2 requests per minute.").first().waitFor();
    });

    await test.step("the form shows the usage, and a removed limit no longer applies", async () => {
      // The console shows what it has read a moment ago until the page is loaded anew.
      await page.goto("/panel/token");
      await rowOf(page, "Limited").click();
      await drawer.getByText(/^<\$0\.01 used today$/).waitFor();
      await expect(drawer.getByLabel("Requests per minute")).toHaveValue("2");
      await expect(drawer.getByLabel("Tokens per minute")).toHaveValue("");
      await drawer.getByLabel("Requests per minute").fill("");
      await drawer.getByRole("button", { name: "Save" }).click();
      await expect(drawer).toBeHidden();
      await expect.poll(ask).toBe(200);
    });
  },
);

test(
  "a token with a billing tag caches and stores its responses, and the log shows both",
  { tag: "@nightly" },
  async ({ page }) => {
    const root = await site.api<{ id: number }>("GET", "/user/self");
    await site.api("POST", `/user/quota/${root.id}`, { quota: 5_000_000, remark: "for the tests" });
    const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Nightly" });
    await site.api("POST", "/token", { name: "Without a tag" });
    await page.goto("/panel/token");

    await test.step("the options are set in the form and shown in the list", async () => {
      await rowOf(page, "Nightly").click();
      const drawer = page.getByRole("dialog", { name: "Edit “Nightly”" });
      await drawer.getByLabel("Billing tag").fill("research");
      await drawer.getByRole("switch", { name: "Cache responses" }).click();
      await drawer.getByRole("switch", { name: "Also cache streams with tools" }).waitFor();
      await drawer.getByRole("switch", { name: "Store requests and responses" }).click();
      await drawer.getByRole("button", { name: "Save" }).click();
      await rowOf(page, "Nightly").getByText("research").waitFor();
      await rowOf(page, "Nightly").getByRole("img", { name: "Caches responses" }).waitFor();
    });

    await test.step("the list is searched by tag", async () => {
      await page.getByPlaceholder("Billing tag").fill("research");
      await page.waitForURL("**/token?billing_tag=research");
      await expect(page.locator("tbody tr")).toHaveCount(1);
      await rowOf(page, "Nightly").waitFor();
    });

    await test.step("a cached call is free, and the log is filtered by tag", async () => {
      const first = await callModel(site, key);
      const second = await callModel(site, key);
      expect([first.cache, second.cache]).toEqual(["miss", "hit"]);
      const log = await site.api<LogPage>("GET", "/log?billing_tag=research");
      expect(log.data.map((row) => row.cache_hit)).toEqual([true, false]);
      await goTo(page, "/panel/log?billing_tag=research");
      const hit = page.getByRole("row").filter({ has: page.getByRole("img", { name: "From the cache" }) });
      await hit.getByText("Free").waitFor();
      await expect(page.locator("tbody tr")).toHaveCount(2);
      await hit.click();
      await page.getByText("Served from the cache. No channel was called.").first().waitFor();
      await page.getByText("research").first().waitFor();
    });

    await test.step("a stored request and its response are shown with the call", async () => {
      const { data } = await site.api<LogPage>("GET", "/log?billing_tag=research");
      await goTo(page, `/panel/log/${data.at(-1)?.request_id}`);
      await page.getByRole("heading", { name: "Request and response" }).waitFor();
      await page.getByText("Good morning").first().waitFor();
      await page.getByRole("tab", { name: "Raw" }).first().click();
      await page.getByText('"content": "Good morning"').first().waitFor();
    });
  },
);
