import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

interface Stored {
  id: number;
  key_hints: string[];
  system_prompt: string;
  system_prompt_place: string;
  first_byte_timeout_ms: number;
  max_concurrency: number;
  custom_parameter: object;
}

const keys = "sk-alpha-000000001\nsk-bravo-000000002\nsk-charlie-00000003";
async function add(name: string, values: object = {}): Promise<Stored> {
  const demo = { type: 900, models: ["demo-chat"], groups: ["default"], key: keys };
  return site.api<Stored>("POST", "/channel", { ...demo, name, ...values });
}
const stored = (id: number) => site.api<Stored>("GET", `/channel/${id}`);
const save = (form: Locator) => form.getByRole("button", { name: "Save" }).click();

describe("the keys of a channel", () => {
  it("are shown as hints, can be disabled, weighted, removed and added, and appear in the timeline", async () => {
    const { id } = await add("Many");
    const page = await site.open(`/panel/channel?edit=${id}`);
    const form = page.getByRole("dialog", { name: `(#${id})` });
    await form.getByText("3 of 3 keys in use.").waitFor();
    // A switch is drawn over its input, so the click must be forced.
    await form.getByRole("switch", { name: /^Use the key sk-alph/ }).click({ force: true });
    await form.getByText("2 of 3 keys in use.").waitFor();
    const weight = form.getByRole("textbox", { name: /^Weight: sk-brav/ });
    await weight.fill("7");
    await weight.press("Enter");
    await form.getByRole("button", { name: /^Remove the key sk-alph/ }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await form.getByText("2 of 2 keys in use.").waitFor();

    await form.getByLabel("New API keys").fill("sk-delta-0000000004\nsk-delta-0000000004");
    await form.getByText("1 key pasted").waitFor();
    // New keys are added unless the user chooses to replace the stored ones, which must be confirmed.
    await expect
      .poll(() => form.getByRole("radio", { name: "Add to the stored keys" }).isChecked())
      .toBe(true);
    await form.getByText("Replace the stored keys").click();
    await save(form);
    const question = page.getByRole("dialog", { name: "Replace the stored keys?" });
    await question.getByText("Stored keys to delete: 2.").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await form.getByText("Add to the stored keys").click();
    await save(form);
    await form.waitFor({ state: "detached" });
    expect((await stored(id)).key_hints).toHaveLength(3);

    await page.getByRole("button", { name: "More actions for Many" }).click();
    await page.getByRole("menuitem", { name: "Timeline" }).click();
    const timeline = page.getByRole("dialog", { name: "Timeline of Many" });
    for (const word of [
      "Channel created",
      "Key disabled",
      "Key weight changed",
      "Key removed",
      "Channel changed",
    ])
      await timeline
        .getByText(word, { exact: true })
        .or(timeline.getByText(`${word} `))
        .first()
        .waitFor();
  });
});

describe("JSON fields of a channel", () => {
  it("are saved as typed, and errors contain their position", async () => {
    const { id } = await add("Told");
    const page = await site.open(`/panel/channel?edit=${id}`, { phone: true });
    const form = page.getByRole("dialog", { name: `(#${id})` });
    await form.getByRole("button", { name: "Prompt, headers and parameters" }).click();
    await form.getByLabel("System prompt").fill("Be kind.");
    await form.getByText("After the caller's system prompt", { exact: true }).click();
    await form.getByLabel("Extra parameters").fill('{"overwrite": "yes"}');
    await form.getByRole("button", { name: "Timeouts and limits" }).click();
    await form.getByLabel("First byte timeout").fill("20000");
    await form.getByLabel("Concurrent calls").fill("3");
    await save(form);
    await form.getByText("overwrite: It must be true or false").waitFor();
    await form.getByLabel("Extra parameters").fill('{"overwrite": true, "seed": 7}');
    await save(form);
    await form.waitFor({ state: "detached" });
    expect(await stored(id)).toMatchObject({
      system_prompt: "Be kind.",
      system_prompt_place: "after",
      first_byte_timeout_ms: 20_000,
      max_concurrency: 3,
      custom_parameter: { overwrite: true, seed: 7 },
    });
  });
});
