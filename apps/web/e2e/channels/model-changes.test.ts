import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

/** Models that a provider adds and removes, from the check to the changed channel. */
let site: Site;
let provider: Server;
let listed: string[] = ["alpha-1", "alpha-2", "alpha-old"];
let id = 0;

beforeAll(async () => {
  provider = createServer((request, response) => {
    response.writeHead(request.url === "/v1/models" ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: listed.map((name) => ({ id: name })) }));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const { port } = provider.address() as AddressInfo;
  site = await openSite({}, true);
  const channel = { type: 1, key: "sk-a", groups: ["default"], base_url: `http://127.0.0.1:${port}` };
  const models = ["alpha-1", "alpha-old", "my-alias"];
  ({ id } = await site.api<{ id: number }>("POST", "/channel", { ...channel, name: "Alpha", models }));
  const songs = { type: 41, key: "sk-b", groups: ["default"], base_url: "http://127.0.0.1:9" };
  await site.api("POST", "/channel", { ...songs, name: "Songs", models: ["suno_music"] });
});
afterAll(async () => {
  await site.close();
  provider.close();
});

const models = async () => (await site.api<{ models: string[] }>("GET", `/channel/${id}`)).models;
const drawerOf = (page: Page) => page.getByRole("dialog", { name: "Model changes of providers" });

describe("model changes of providers", () => {
  it("are found by a check, whose progress and skipped channels are shown", async () => {
    const page = await site.open("/panel/channel");
    await page.getByRole("button", { name: "For all channels" }).click();
    await page.getByRole("menuitem", { name: "Model changes" }).click();
    const drawer = drawerOf(page);
    await drawer.getByText("Not checked yet").waitFor();
    await drawer.getByRole("button", { name: "Check now" }).click();
    await drawer.getByRole("status", { name: "Model lists checked" }).waitFor();
    const alpha = drawer.getByRole("region", { name: "Alpha" });
    await alpha.getByText("Never in the provider's list · 1").waitFor();
    await alpha.getByText("my-alias").waitFor();
    await drawer.getByRole("button", { name: "1 channel without a list" }).click();
    await drawer.getByText("This provider does not offer a list of models.").waitFor();
    expect(await faults(page)).toEqual([]);
  });

  it("are added to the channel, removed from it, or ignored", async () => {
    listed = ["alpha-1", "alpha-2", "alpha-3", "alpha-4"];
    const page = await site.open("/panel/channel?changes=all");
    const drawer = drawerOf(page);
    await drawer.getByRole("button", { name: "Check now" }).click();
    const alpha = drawer.getByRole("region", { name: "Alpha" });
    await alpha.getByText("New at the provider · 2").waitFor();
    expect(await faults(page)).toEqual([]);
    await alpha.getByRole("button", { name: "Add alpha-3" }).click();
    await alpha.getByText("New at the provider · 1").waitFor();
    await alpha.getByRole("button", { name: "Remove alpha-old" }).click();
    await alpha.getByText("No longer in the provider's list").waitFor({ state: "hidden" });
    expect(await models()).toEqual(["alpha-1", "my-alias", "alpha-3"]);
    await alpha.getByRole("button", { name: "Ignore alpha-4" }).click();
    await alpha.getByText("New at the provider").waitFor({ state: "hidden" });
    await drawer.getByText("Ignored (1)").click();
    await alpha.getByRole("button", { name: "Show again alpha-4" }).click();
    await drawer.getByText("No ignored changes").waitFor();
  });

  it("reach operators as a notification that opens them, also on a phone", async () => {
    const page = await site.open("/panel/inbox", { phone: true, dark: true });
    await page.getByText("OpenAI changed its models: 2 added, 1 removed").click();
    const drawer = drawerOf(page);
    await drawer.getByRole("region", { name: "Alpha" }).getByText("alpha-4", { exact: true }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await faults(page)).toEqual([]);
  });
});
