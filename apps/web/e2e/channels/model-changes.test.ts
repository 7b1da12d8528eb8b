/** Models that a provider adds and removes, from the check to the changed channel. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { faults } from "../support/faults.ts";
import { expect, test } from "../support/test.ts";

test.use({ gateway: { local: true } });

let provider: Server;
let listed = ["alpha-1", "alpha-2", "alpha-old"];

test.beforeAll(async () => {
  provider = createServer((request, response) => {
    response.writeHead(request.url === "/v1/models" ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: listed.map((name) => ({ id: name })) }));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
});
test.afterAll(() => provider.close());

test(
  "model changes of a provider are found by a check, reach operators as a notification, and are added, removed or ignored",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const { port } = provider.address() as AddressInfo;
    const channel = { type: 1, key: "sk-a", groups: ["default"], base_url: `http://127.0.0.1:${port}` };
    const models = ["alpha-1", "alpha-old", "my-alias"];
    const { id } = await site.api<{ id: number }>("POST", "/channel", { ...channel, name: "Alpha", models });
    const songs = { type: 41, key: "sk-b", groups: ["default"], base_url: "http://127.0.0.1:9" };
    await site.api("POST", "/channel", { ...songs, name: "Songs", models: ["suno_music"] });

    await page.goto("/panel/channel");
    const drawer = page.getByRole("dialog", { name: "Model changes of providers" });
    const alpha = drawer.getByRole("region", { name: "Alpha" });
    await test.step("a check shows unknown models, and channels without a list", async () => {
      await page.getByRole("button", { name: "For all channels" }).click();
      await page.getByRole("menuitem", { name: "Model changes" }).click();
      await expect(drawer.getByText("Not checked yet")).toBeVisible();
      await drawer.getByRole("button", { name: "Check now" }).click();
      await expect(drawer.getByRole("status", { name: "Model lists checked" })).toBeVisible();
      await expect(alpha.getByText("Never in the provider's list · 1")).toBeVisible();
      await expect(alpha.getByText("my-alias")).toBeVisible();
      await drawer.getByRole("button", { name: "1 channel without a list" }).click();
      await expect(drawer.getByText("This provider does not offer a list of models.")).toBeVisible();
    });

    await test.step("the next check reports the changes as a notification that opens them", async () => {
      listed = ["alpha-1", "alpha-2", "alpha-3", "alpha-4"];
      await drawer.getByRole("button", { name: "Check now" }).click();
      await expect(alpha.getByText("New at the provider · 2")).toBeVisible();
      expect(await faults(page)).toEqual([]);
      await drawer.getByRole("button", { name: "Close" }).first().click();
      await expect(drawer).toHaveCount(0);
      await page.getByRole("button", { name: /^Notifications/ }).click();
      await page.getByText("OpenAI changed its models: 2 added, 1 removed").click();
      await expect(alpha.getByText("alpha-4", { exact: true })).toBeVisible();
    });

    await test.step("a model is added to the channel, removed from it, or ignored", async () => {
      await alpha.getByRole("button", { name: "Add alpha-3" }).click();
      await expect(alpha.getByText("New at the provider · 1")).toBeVisible();
      await alpha.getByRole("button", { name: "Remove alpha-old" }).click();
      await expect(alpha.getByText("No longer in the provider's list")).toHaveCount(0);
      const changed = { models: ["alpha-1", "my-alias", "alpha-3"] };
      expect(await site.api("GET", `/channel/${id}`)).toMatchObject(changed);
      await alpha.getByRole("button", { name: "Ignore alpha-4" }).click();
      await expect(alpha.getByText("New at the provider")).toHaveCount(0);
      await drawer.getByText("Ignored (1)").click();
      await alpha.getByRole("button", { name: "Show again alpha-4" }).click();
      await expect(drawer.getByText("No ignored changes")).toBeVisible();
    });
  },
);
