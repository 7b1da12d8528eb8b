/** The editor of JSON fields. */
import type { Locator, Page } from "@playwright/test";
import { addChannel, rowOf } from "../support/channel-stock.ts";
import { faults } from "../support/faults.ts";
import { watchPolicy } from "../support/policy.ts";
import { expect, test } from "../support/test.ts";

/** Opens a channel with its request fields unfolded. */
async function openRequest(page: Page): Promise<Locator> {
  await rowOf(page, "Edited").getByText("Edited", { exact: true }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("button", { name: "Prompt, headers and parameters" }).click();
  // The editor is loaded when its field comes into view.
  await form.getByRole("textbox", { name: "Extra parameters" }).scrollIntoViewIfNeeded();
  await form.locator(".cm-content").last().waitFor();
  return form;
}

test("a JSON field marks invalid JSON, completes model names, formats, and lets Tab and Escape through", async ({
  page,
  site,
}) => {
  const { id } = await addChannel(site, { name: "Edited", models: ["demo-chat", "demo-large"] });
  const stored = async () =>
    (await site.api<{ custom_parameter: unknown }>("GET", `/channel/${id}`)).custom_parameter;
  const before = await stored();
  await page.goto("/panel/channel");
  const refused = watchPolicy(page);
  const form = await openRequest(page);
  const field = form.getByRole("textbox", { name: "Extra parameters" });

  await test.step("a click on the label focuses the editor", async () => {
    await form.getByText("Extra parameters", { exact: true }).click();
    await expect(field).toBeFocused();
  });

  await test.step("invalid JSON is underlined, has its line in the error, and is not saved", async () => {
    await field.fill('{\n  "temperature": 0.5,\n  "top_p": oops\n}');
    await expect(form.locator(".cm-lintRange-error")).toBeVisible();
    await expect(field).toHaveAccessibleDescription(/Must be a valid JSON string \(line 3\)/);
    await expect(form.getByRole("button", { name: "Format" }).last()).toBeDisabled();
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").getByRole("button").click();
    await expect(field).toBeFocused();
    expect(await stored()).toEqual(before);
  });

  await test.step("a name is completed with the keyboard, and Escape closes only the list", async () => {
    await field.fill("");
    await field.pressSequentially('{"per_model": true, "demo-l');
    const list = form.getByRole("listbox", { name: "Completions" });
    await expect(list.getByRole("option", { name: "demo-large" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(list).toHaveCount(0);
    await expect(field).toBeFocused();
    await page.keyboard.press("Control+Space");
    await expect(list).toBeVisible();
    expect(await faults(page, "[role=dialog]")).toEqual([]);
    // The list ignores keys for a moment, so that no one accepts what has only just appeared.
    await expect(async () => {
      await page.keyboard.press("Enter");
      await expect(list).toHaveCount(0, { timeout: 200 });
    }).toPass();
    await page.keyboard.type(': {"temperature": 0.5');
    await expect(field).toHaveText('{"per_model": true, "demo-large": {"temperature": 0.5}}');
  });

  await test.step("the text is formatted, Tab leaves the field, and the value is saved", async () => {
    await form.getByRole("button", { name: "Format" }).last().click();
    await expect(form.locator(".cm-line").nth(1)).toHaveText('  "per_model": true,');
    await field.focus();
    await page.keyboard.press("Tab");
    await expect(field).not.toBeFocused();
    await page.keyboard.press("Control+Enter");
    await form.waitFor({ state: "detached" });
    expect(await stored()).toEqual({ per_model: true, "demo-large": { temperature: 0.5 } });
  });
  expect(refused).toEqual([]);
});
