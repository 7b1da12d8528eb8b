/** Parallel run: calls go through a channel to a second gateway, which is the old one, and the charges are compared. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LogPage } from "@gateway/shared/usage/log";
import type { Page } from "@playwright/test";
import { faults } from "../support/faults.ts";
import { expect, test, type Site } from "../support/test.ts";

const accessToken = "access-token-of-the-old-gateway-0123456789";
let old: Site;
let site: Site;
let key = "";

test.beforeAll(async ({ site: started, startSite }) => {
  site = started;
  old = await startSite({ env: { ROOT_ACCESS_TOKEN: accessToken } });
  await Promise.all([price(old, 50), price(site, 50)]);
  const channel = { groups: ["default"], models: ["demo-chat"] };
  await old.api("POST", "/channel", { ...channel, type: 900, name: "Demo" });
  const token = { name: "bridge", unlimited_quota: true };
  const bridge = await old.api<{ key: string }>("POST", "/token", token);
  await site.api("POST", "/channel", {
    ...channel,
    type: 1,
    name: "Old gateway",
    base_url: old.url,
    key: bridge.key,
  });
  ({ key } = await site.api<{ key: string }>("POST", "/token", token));
});

const price = ({ api }: Site, input: number) =>
  api("PUT", "/prices/single/demo-chat", {
    model: "demo-chat",
    type: "tokens",
    channel_type: 1,
    input,
    output: 100,
  });

async function call(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const answer = await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "hi" }] }),
    });
    expect(answer.status).toBe(200);
    await answer.text();
    const id = answer.headers.get("x-upstream-request-id") ?? "";
    const logged = () => old.api<LogPage>("GET", `/log?request_id=${id}`);
    await expect.poll(async () => (await logged()).data.length).toBe(1);
  }
}

/** Fills the form, except the access token. */
async function fill(page: Page): Promise<void> {
  await expect(
    page
      .getByText("No comparisons yet")
      .or(page.getByText(/agreement$/))
      .first(),
  ).toBeVisible();
  const keyName = page.getByLabel("Key name in the old gateway");
  // After a comparison the form already has what was compared.
  if ((await keyName.inputValue()) === "") {
    await page.getByRole("combobox", { name: "Old gateway", exact: true }).click();
    await page.getByRole("option", { name: "One Hub" }).click();
    await page.getByRole("combobox", { name: "Channel to the old gateway" }).click();
    await page.getByRole("option", { name: "Old gateway" }).click();
    await keyName.fill("bridge");
  }
  await page.getByLabel("Address of the old gateway").fill(old.url);
}

const token = (page: Page) => page.getByLabel("Access token of the key's owner");
const submit = (page: Page) => page.getByRole("button", { name: "Compare", exact: true });

test(
  "a comparison shows how many charges agree with the old gateway's, and explains every deviation",
  { tag: "@nightly" },
  async ({ page }) => {
    await call(3);
    await price(old, 60);
    await call(1);
    await page.goto("/panel/migration");
    await test.step("every field is required, and the old gateway must accept the access token", async () => {
      await page.getByRole("link", { name: "Parallel run" }).click();
      await expect(page.getByText("No comparisons yet")).toBeVisible();
      await submit(page).click();
      await expect(page.getByText("This is required")).toHaveCount(5);
      await fill(page);
      await token(page).fill("wrong");
      await submit(page).click();
      await expect(page.getByRole("alert").getByText("rejects the access token")).toBeVisible();
    });

    const row = page.getByRole("row").filter({ hasText: "Different charge" });
    await test.step("the report explains the deviation", async () => {
      await token(page).fill(accessToken);
      await submit(page).click();
      await expect(page.getByRole("heading", { name: "Old gateway and One Hub" })).toBeVisible();
      const agreement = page.getByRole("region", { name: "Agreement" });
      await expect(agreement).toHaveText("Agreement75%3 of 4 calls");
      const matches = "Matched by request ID: 4. Matched by model, tokens and time: 0.";
      await expect(page.getByText(matches)).toBeVisible();
      await expect(row.getByText("Different price: 50 / 100 here, 60 / 100 there")).toBeVisible();
      // Both charges have the decimals in which they differ.
      await expect(row).toHaveText(/\$0\.\d{5}\$0\.\d{5}−\$0\.\d{5}$/);
      expect(await faults(page)).toEqual([]);
    });

    await test.step("the deviations are downloaded as CSV", async () => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download CSV" }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^comparison-one-hub-\d{4}-\d\d-\d\d\.csv$/);
      const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
      expect(lines).toHaveLength(2);
      expect(lines[1]).toMatch(/^charge,price,/);
    });

    await test.step("the stored report is shown by its address, fits a phone, and links to the call", async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.reload();
      await expect(page.getByText("75% agreement")).toBeVisible();
      await expect(page.getByText("Different price: 50 / 100 here, 60 / 100 there")).toBeVisible();
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      // A result that is opened by its address is scrolled to at once, without an animation.
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(300);
      expect(await faults(page)).toEqual([]);
      await page.setViewportSize({ width: 1440, height: 900 });
      await row.getByRole("link").click();
      await page.waitForURL("**/panel/log/*");
      await expect(page.getByText("Provider request ID")).toBeVisible();
    });

    await test.step("the form has what was compared last, and nothing has the access token", async () => {
      await page.goBack();
      await expect(page.getByLabel("Key name in the old gateway")).toHaveValue("bridge");
      await expect(token(page)).toHaveValue("");
      expect(JSON.stringify(await site.api("GET", "/migration/comparison"))).not.toContain(accessToken);
    });
  },
);

test(
  "a comparison is cancelled, and the next one may start afterwards",
  { tag: "@nightly" },
  async ({ page }) => {
    await call(1);
    const hanging = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(hanging, "listening");
    const { port } = hanging.address() as AddressInfo;
    try {
      await page.goto("/panel/parallel_run");
      await fill(page);
      await page.getByLabel("Address of the old gateway").fill(`http://127.0.0.1:${port}`);
      await token(page).fill(accessToken);
      await submit(page).click();
      await expect(page.getByText("Comparing. Rows read from the old gateway: 0")).toBeVisible();
      await page.getByRole("button", { name: "Cancel" }).click();
      await expect(page.getByText("Comparing.")).toHaveCount(0);
      // The next one may start as soon as the server has noticed it.
      await page.getByLabel("Address of the old gateway").fill(old.url);
      await expect
        .poll(async () => {
          if (await submit(page).isEnabled()) await submit(page).click();
          return page.url();
        })
        .toContain("?report=");
    } finally {
      hanging.closeAllConnections();
      hanging.close();
    }
  },
);
