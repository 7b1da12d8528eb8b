/** The keys of a stored channel. */
import { addChannel, rowOf } from "../support/channel-stock.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

test(
  "the keys of a channel are disabled, weighted, removed, added and not sent to another address unnoticed",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const key = "sk-alpha-000000001\nsk-bravo-000000002\nsk-charlie-00000003";
    const { id } = await addChannel(site, { name: "Many", key });
    const address = { type: 8, base_url: "https://api.example.com", key: "sk-alpha-000000001" };
    await addChannel(site, { ...address, name: "Bound", models: ["gpt-4o"] });
    await page.goto(`/panel/channel?edit=${id}`);
    const form = page.getByRole("dialog", { name: `(#${id})` });
    await test.step("each stored key has a hint, a switch, a weight and a button that removes it", async () => {
      await expect(form.getByText("3 of 3 keys in use.")).toBeVisible();
      // A switch is drawn over its input, so the click must be forced.
      await form.getByRole("switch", { name: /^Use the key sk-alph/ }).click({ force: true });
      await expect(form.getByText("2 of 3 keys in use.")).toBeVisible();
      const weight = form.getByRole("textbox", { name: /^Weight: sk-brav/ });
      await weight.fill("7");
      await weight.press("Enter");
      await form.getByRole("button", { name: /^Remove the key sk-alph/ }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await expect(form.getByText("2 of 2 keys in use.")).toBeVisible();
    });

    await test.step("new keys are added, unless it is confirmed that they replace the stored ones", async () => {
      await form.getByLabel("New API keys").fill("sk-delta-0000000004\nsk-delta-0000000004");
      await expect(form.getByText("1 key pasted")).toBeVisible();
      await expect(form.getByRole("radio", { name: "Add to the stored keys" })).toBeChecked();
      await form.getByText("Replace the stored keys").click();
      await form.getByRole("button", { name: "Save" }).click();
      const question = page.getByRole("dialog", { name: "Replace the stored keys?" });
      await expect(question.getByText("Stored keys to delete: 2.")).toBeVisible();
      await question.getByRole("button", { name: "Cancel" }).click();
      await form.getByText("Add to the stored keys").click();
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      const { key_hints } = await site.api<{ key_hints: string[] }>("GET", `/channel/${id}`);
      expect(key_hints).toHaveLength(3);
    });

    await test.step("the timeline has all changes", async () => {
      await page.getByRole("button", { name: "More actions for Many" }).click();
      await page.getByRole("menuitem", { name: "Timeline" }).click();
      const timeline = page.getByRole("dialog", { name: "Timeline of Many" });
      for (const change of [
        "Channel created",
        "Key disabled",
        "Key weight changed",
        "Key removed",
        "Channel changed",
      ])
        await expect(timeline.getByText(new RegExp(`^${change}( |$)`)).first()).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(timeline).toHaveCount(0);
    });

    await test.step("a changed address warns where the stored keys would be sent", async () => {
      await rowOf(page, "Bound").getByText("Bound", { exact: true }).click();
      const field = page.getByRole("dialog").getByLabel("API address");
      await field.fill("https://elsewhere.example.net");
      const alert = page.getByRole("dialog").getByRole("alert");
      await expect(alert).toContainText("another address");
      await field.fill("https://api.example.com/");
      await expect(alert).toHaveCount(0);
    });
  },
);

test(
  "a channel whose key is refused is repaired from the dashboard: a new key, and a click that enables it",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await site.api("POST", "/prices/single", {
      model: "west-chat",
      type: "tokens",
      channel_type: 900,
      input: 1,
      output: 1,
    });
    const models = { models: ["west-chat"], model_mapping: { "west-chat": "demo-chat" } };
    const { id } = await addChannel(site, { name: "West", key: "demo-fail-401", ...models });
    const token = await site.api<{ key: string }>("POST", "/token", { name: "root", unlimited_quota: true });
    const call = async () => {
      const { status } = await fetch(`${site.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
        body: JSON.stringify({ model: "west-chat", messages: [{ role: "user", content: "Hello" }] }),
      });
      return status;
    };
    const status = async () => (await site.api<{ status: number }>("GET", `/channel/${id}`)).status;
    const disable = () =>
      expect(async () => {
        await call();
        expect(await status()).toBe(3);
      }).toPass({ intervals: [50] });
    const form = page.getByRole("dialog", { name: `(#${id})` });

    await test.step("the message about the saved key has a button that enables the channel", async () => {
      await disable();
      await page.goto("/panel/dashboard");
      await page.getByRole("link", { name: "Channel “West” was disabled automatically" }).click();
      await form.getByText(/^The provider refuses the key/).waitFor();
      await form.getByLabel("New API keys").fill("demo-works");
      await form.getByText("Replace the stored keys").click();
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
      await page.getByText("The channel is still disabled.").waitFor();
      await page.getByRole("button", { name: "Enable", exact: true }).click();
      await page.getByText("West is enabled").waitFor();
      expect(await call()).toBe(200);
    });

    await test.step("the page of the channel enables it, too", async () => {
      await site.api("PATCH", `/channel/${id}`, { status: 2 });
      await goTo(page, `/panel/channel/${id}`);
      await page.getByText("This channel serves no calls.").waitFor();
      await page.getByRole("button", { name: "Enable", exact: true }).click();
      await expect(page.getByText("This channel serves no calls.")).toHaveCount(0);
      expect(await call()).toBe(200);
      await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
      await page.getByText("This channel serves no calls.").waitFor();
    });
  },
);
