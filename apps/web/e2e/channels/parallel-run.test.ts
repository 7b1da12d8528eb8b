/** Parallel run: calls go through a channel to a second gateway, which is the old one, and the charges are compared. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LogPage } from "@gateway/shared/usage/log";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

const accessToken = "access-token-of-the-old-gateway-0123456789";
let old: Site;
let site: Site;
let key = "";

beforeAll(async () => {
  [old, site] = await Promise.all([openSite({ ROOT_ACCESS_TOKEN: accessToken }), openSite()]);
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
afterAll(() => Promise.all([old.close(), site.close()]));

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
  await page.getByRole("combobox", { name: "Old gateway", exact: true }).click();
  await page.getByRole("option", { name: "One Hub" }).click();
  await page.getByRole("combobox", { name: "Channel to the old gateway" }).click();
  await page.getByRole("option", { name: "Old gateway" }).click();
  await page.getByLabel("Key name in the old gateway").fill("bridge");
  await page.getByLabel("Address of the old gateway").fill(old.url);
}

const token = (page: Page) => page.getByLabel("Access token of the key's owner");
const submit = (page: Page) => page.getByRole("button", { name: "Compare", exact: true });

it("compares each charge with the old gateway's, and explains every deviation", async () => {
  await call(3);
  await price(old, 60);
  await call(1);
  const page = await site.open("/panel/migration");
  await page.getByRole("link", { name: "Parallel run" }).click();
  await page.getByText("No comparisons yet").waitFor();
  await submit(page).click();
  await expect.poll(() => page.getByText("This is required").count()).toBe(5);
  expect(await faults(page)).toEqual([]);

  await fill(page);
  await token(page).fill("wrong");
  await submit(page).click();
  await page.getByRole("alert").getByText("rejects the access token").waitFor();

  await token(page).fill(accessToken);
  await submit(page).click();
  await page.getByRole("heading", { name: "Old gateway and One Hub" }).waitFor();
  const agreement = page.getByRole("region", { name: "Agreement" });
  await expect.poll(() => agreement.textContent()).toBe("Agreement75%3 of 4 calls");
  await page.getByText("Matched by request ID: 4. Matched by model, tokens and time: 0.").waitFor();
  const row = page.getByRole("row").filter({ hasText: "Different charge" });
  await row.getByText("Different price: 50 / 100 here, 60 / 100 there").waitFor();
  // Both charges have the decimals in which they differ.
  expect(await row.textContent()).toMatch(/\$0\.\d{5}\$0\.\d{5}−\$0\.\d{5}$/);
  expect(await faults(page)).toEqual([]);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^comparison-one-hub-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/^charge,price,/);

  // The kept report is shown again, and nothing of the old gateway's access is.
  await page.reload();
  await page.getByText("75% agreement").waitFor();
  await row.getByRole("link").click();
  await page.waitForURL("**/panel/log/*");
  await page.getByText("Provider request ID").waitFor();
  expect(JSON.stringify(await site.api("GET", "/migration/comparison"))).not.toContain(accessToken);
});

it("fits a phone", async () => {
  const page = await site.open("/panel/parallel_run?report=1", { phone: true });
  await page.getByText("Different price: 50 / 100 here, 60 / 100 there").waitFor();
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(width).toBe(await page.evaluate(() => window.innerWidth));
  // A result that is opened by its address is scrolled to at once, without an animation.
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(300);
  expect(await faults(page)).toEqual([]);
});

it("cancels a comparison", async () => {
  const page = await site.open("/panel/parallel_run");
  // What was compared last is filled in again; access to the old gateway is not.
  await expect.poll(() => page.getByLabel("Key name in the old gateway").inputValue()).toBe("bridge");
  expect(await token(page).inputValue()).toBe("");
  const hanging = createServer(() => undefined).listen(0, "127.0.0.1");
  onTestFinished(() => hanging.closeAllConnections());
  onTestFinished(() => void hanging.close());
  await once(hanging, "listening");
  const { port } = hanging.address() as AddressInfo;
  await page.getByLabel("Address of the old gateway").fill(`http://127.0.0.1:${port}`);
  await token(page).fill(accessToken);
  await submit(page).click();
  await page.getByText("Comparing. Rows read from the old gateway: 0").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => page.getByText("Comparing.").count()).toBe(0);
  // The next one may start as soon as the server has noticed it.
  await page.getByLabel("Address of the old gateway").fill(old.url);
  await expect
    .poll(async () => {
      if (await submit(page).isEnabled()) await submit(page).click();
      return page.url();
    })
    .toContain("?report=");
});
