/** Links to calls that are readable without signing in. */
import type { Page } from "@playwright/test";
import { connect } from "../../../server/src/platform/database/db.ts";
import { addChannel } from "../support/channel-stock.ts";
import { faults } from "../support/faults.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;
const question = "What is the airspeed of a swallow?";

test.beforeAll(async ({ site: started }) => {
  site = started;
  await addChannel(site, { name: "Secret channel", models: ["demo-chat"] });
  const token = await site.api<{ key: string }>("POST", "/token", {
    name: "secret token",
    setting: { log_bodies: true },
  });
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: question }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
});

/** Returns the path of the page of the newest call, whose bodies are stored. */
async function pathOfCall(): Promise<string> {
  const { data } = await site.api<{ data: { request_id: string }[] }>("GET", "/log?log_type=2&size=1");
  const id = data[0]?.request_id ?? "";
  // The bodies are stored after the call.
  await expect.poll(() => site.api("GET", `/log/${id}/bodies`)).not.toBeNull();
  return `/panel/log/${id}`;
}

/** Creates a link on the page of a call. Returns its address. */
async function shareCall(page: Page, withContent: boolean): Promise<string> {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share this call" });
  await dialog.getByText("7 days").click();
  if (withContent) await dialog.getByRole("checkbox", { name: "Request and response" }).check();
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = (await dialog.getByTestId("share-link").textContent()) ?? "";
  expect(address).toMatch(new RegExp(`^${site.url}/share/[A-Za-z0-9]{32}$`));
  return address;
}

const pathOf = (address: string) => new URL(address).pathname;

test("a link shows a guest bill and route without names until it is revoked, and the conversation only on request", async ({
  page,
}) => {
  const callPath = await pathOfCall();
  await page.goto(callPath);
  const address = await shareCall(page, false);
  const guest = await site.open(pathOf(address), { guest: true });

  await test.step("a guest sees the bill and the route, and no name and no prompt", async () => {
    await guest.getByRole("heading", { name: "Bill", exact: true }).waitFor();
    await guest.getByText("Channel 1", { exact: true }).first().waitFor();
    const text = await guest.locator("body").innerText();
    for (const hidden of ["Secret channel", "secret token", "swallow"]) expect(text).not.toContain(hidden);
    expect(await faults(guest)).toEqual([]);
  });

  await test.step("search engines do not list it", async () => {
    const response = await fetch(address);
    expect(response.headers.get("x-robots-tag")).toBe("noindex");
    expect(await response.text()).toContain('<meta name="robots" content="noindex"');
  });

  await test.step("its creator finds and revokes it", async () => {
    await goTo(page, "/panel/log?shares=open");
    const links = page.getByRole("list", { name: "Shared links" });
    await links.getByRole("button", { name: /^Revoke the link/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }).last().click();
    await page.getByText("No shared links").waitFor();
  });

  await test.step("a guest reads that it was revoked", async () => {
    await guest.reload();
    await guest.getByRole("heading", { name: "This link was revoked" }).waitFor();
    expect(await faults(guest)).toEqual([]);
  });

  await test.step("a link with the content shows the conversation, also on a phone", async () => {
    await goTo(page, callPath);
    await guest.setViewportSize({ width: 390, height: 844 });
    await guest.goto(pathOf(await shareCall(page, true)));
    await guest.getByText(question).first().waitFor();
    expect(await faults(guest)).toEqual([]);
  });

  await test.step("a link that has expired says so, and no longer shows the call", async () => {
    const database = connect(site.databaseUrl, { max: 1 });
    await database.pool.query("UPDATE call_shares SET expires_at = now() - interval '1 second'");
    await database.close();
    await guest.reload();
    await guest.getByRole("heading", { name: "This link has expired" }).waitFor();
    await expect(guest.getByText(question)).toHaveCount(0);
    expect(await faults(guest)).toEqual([]);
  });

  await test.step("an unknown link shows an error", async () => {
    await guest.goto(`/share/${"A".repeat(32)}`);
    await guest.getByRole("heading", { name: "This link was not found" }).waitFor();
  });
});
