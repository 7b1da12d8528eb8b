/** Keys that are stored elsewhere, and channels that sign in with the identity of the machine. */
import { addChannel } from "../support/channel-stock.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

test(
  "a channel signs in with the identity of the machine, and with a role",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await page.goto("/panel/channel?new=1");
    await page.getByRole("button", { name: "Add channel" }).first().click();
    const form = page.getByRole("dialog", { name: "Add channel" });
    await form.getByRole("combobox", { name: "Provider" }).fill("Amazon");
    await page.getByRole("option", { name: "Amazon Bedrock" }).click();
    await form.getByRole("combobox", { name: "Sign in with" }).click();
    await page.getByRole("option", { name: "The identity of the machine" }).click();
    await expect(form.getByLabel("API keys")).toHaveCount(0);
    await form.getByLabel("AWS region").fill("Frankfurt");
    await form.getByRole("button", { name: "Add channel" }).click();
    await expect(form.getByText("This reference is not valid. Its form is aws:region")).toBeVisible();
    await form.getByLabel("AWS region").fill("eu-central-1");
    await form.getByRole("button", { name: "Add channel" }).click();
    await expect(form).toHaveCount(0);

    const stored = async () =>
      (await site.api<{ data: { id: number; key_hints: string[] }[] }>("GET", "/channel?size=10")).data[0];
    const { id, key_hints } = (await stored()) ?? { id: 0, key_hints: [] };
    expect(key_hints).toEqual(["aws:eu-central-1"]);

    await goTo(page, `/panel/channel?edit=${id}`);
    const edit = page.getByRole("dialog", { name: `(#${id})` });
    await expect(edit.getByLabel("AWS region")).toHaveValue("eu-central-1");
    await edit.getByRole("combobox", { name: "Sign in with" }).click();
    await page.getByRole("option", { name: "A role that the machine assumes" }).click();
    await edit.getByLabel("ARN of the role").fill("arn:aws:iam::123456789012:role/bedrock");
    await edit.getByLabel("External ID").fill("gateway");
    await edit.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("dialog", { name: "Replace the stored keys?" })
      .getByRole("button", { name: "Replace" })
      .click();
    await expect(edit).toHaveCount(0);
    expect((await stored())?.key_hints).toEqual([
      "aws:eu-central-1?role=arn:aws:iam::123456789012:role/bedrock&external_id=gateway",
    ]);
  },
);

test(
  "a reference is explained and checked where keys are entered, and its failure is shown",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const { id } = await addChannel(site, {
      type: 8,
      name: "Elsewhere",
      base_url: "https://api.example.com",
      key: "file:openai.key",
    });
    await page.goto(`/panel/channel?edit=${id}`);
    const form = page.getByRole("dialog", { name: `(#${id})` });
    await expect(form.getByText("file:openai.key", { exact: true })).toBeVisible();
    await expect(form.getByText("The key cannot be read: CHANNEL_KEYS_DIR is not set.")).toBeVisible();
    await form.getByLabel("New API keys").fill("env:DATABASE_URL");
    await expect(
      form.getByText("This reference is not valid. Its form is env:CHANNEL_KEY_NAME."),
    ).toBeVisible();
    await expect(form.getByRole("link", { name: "Keys that are stored elsewhere" })).toHaveAttribute(
      "href",
      /\/panel\/help\/channel-keys$/,
    );
  },
);
