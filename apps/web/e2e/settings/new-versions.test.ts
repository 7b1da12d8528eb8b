/** What the settings show about newer versions of the gateway. */
import { faults } from "../support/faults.ts";
import { expect, test } from "../support/test.ts";

test(
  "root checks for new versions, and sees failures and the notes of a release as text",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await page.goto("/panel/setting?section=releases");
    const section = page.getByRole("form", { name: "New versions", exact: true });
    await section.getByRole("switch", { name: "Check for new versions" }).click();
    await section.getByRole("button", { name: "Save" }).click();
    await expect(section.getByText("Nothing was checked yet.")).toBeVisible();

    await site.api("PUT", "/option", { key: "ReleaseCheckAddress", value: "http://127.0.0.1:9/latest" });
    await section.getByRole("button", { name: "Check now" }).click();
    await expect(section.getByText("The address cannot be reached.")).toBeVisible();
    await expect(section.getByText(/^This is version \d/)).toBeVisible();

    // A stand-in for the release.
    const release = {
      version: "99.1.0",
      name: "",
      notes: "- Faster\n<img src=x onerror=\"document.title='hit'\">",
      url: "https://example.com/releases/99.1.0",
      published_at: 1_795_000_000,
    };
    await page.route("**/api/option/release-check/run", async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: object };
      Object.assign(body.data, { release, is_newer: true, reason: "", reason_facts: [] });
      await route.fulfill({ response, json: body });
    });
    await section.getByRole("button", { name: "Check now" }).click();
    await expect(section.getByText("Version 99.1.0 is available")).toBeVisible();
    await expect(section.getByText("<img src=x")).toBeVisible();
    await expect(section.getByRole("link", { name: "Open the page of the release" })).toHaveAttribute(
      "href",
      release.url,
    );
    await expect(section.locator("img")).toHaveCount(0);
    expect(await faults(page, "form[aria-label='New versions']")).toEqual([]);
  },
);
