/**
 * Menus, tooltips and dialogs without an address: one of each kind. `pnpm verify:screens` opens all of them, see
 * `verify/`. Those with an address are among every-screen.test.ts.
 */
import type { Page } from "@playwright/test";
import { faultsWithLayer, layer, tooltipFaults } from "./support/faults.ts";
import { furnish } from "./support/furnish.ts";
import { goTo } from "./support/go-to.ts";
import { click } from "./support/screens/openings.ts";
import { expect, test } from "./support/test.ts";

test.beforeAll(({ site }) => furnish(site));

test("a menu, a question, the palette and lists of options are accessible, and a late form has the focus", async ({
  page,
}) => {
  await page.goto("/panel/channel");
  await test.step("a menu", async () => {
    await click(page, "More actions for demo");
    await expect(page.getByRole("menuitem", { name: "Delete" })).toBeVisible();
    expect(await faultsWithLayer(page)).toEqual([]);
  });
  await test.step("a question", async () => {
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await faultsWithLayer(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  });
  await test.step("the palette", async () => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog").getByRole("textbox", { name: "Go to…" })).toBeVisible();
    expect(await faultsWithLayer(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  });
  await test.step("a list of options", async () => {
    await page.getByRole("combobox", { name: "Status", exact: true }).click();
    await expect(page.getByRole("listbox")).toBeVisible();
    expect(await faultsWithLayer(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.locator(layer).filter({ visible: true })).toHaveCount(0);
  });
  await test.step("a search in a list of options replaces the name of the selected one", async () => {
    await goTo(page, "/panel/channel?edit=new");
    const provider = page.getByRole("dialog").getByRole("combobox", { name: "Provider" });
    await expect(provider).toHaveValue("OpenAI");
    await provider.click();
    await page.keyboard.type("anthropic");
    await page.getByRole("option", { name: "Anthropic" }).click();
    await expect(provider).toHaveValue("Anthropic");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
  });
  await test.step("a form that arrives after its dialog has the focus", () =>
    expectFocusOfLateForm(page, "/panel/user?budget=2", "**/api/user/2/budget"));
});

test(
  "a toast covers neither the close button of a drawer nor, on a phone, the buttons below its form",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const phone = await site.open("/panel/token?edit=new", { phone: true });
    await page.goto("/panel/token?edit=new");
    for (const [window, button] of [
      [page, "Close"],
      [phone, "Create token"],
    ] as const) {
      await window.route("**/api/token", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 405, json: { success: false, message: "" } })
          : route.fallback(),
      );
      const form = window.getByRole("dialog");
      await form.getByRole("textbox", { name: "Name" }).fill("Laptop");
      await form.getByRole("button", { name: "Create token", exact: true }).click();
      const toast = window.locator(".mantine-Notification-root");
      await toast.waitFor();
      // Only checks that a click would reach the button.
      await form.getByRole("button", { name: button, exact: true }).click({ trial: true, timeout: 2_000 });
      await expect(toast).toBeVisible();
      await window.unroute("**/api/token");
    }
  },
);

test(
  "the exact time is the hint of a time in a list, and elsewhere a tooltip that the keyboard opens",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const exact = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
    await page.goto("/panel/token");
    await test.step("the rows of a list have no further stop of the Tab key", async () => {
      const times = page.getByRole("table").locator("time");
      await expect(times.first()).toHaveAttribute("title", exact);
      for (const time of await times.all()) {
        await expect(time).toHaveAttribute("title", exact);
        expect(await time.evaluate((element) => element.tabIndex)).toBe(-1);
      }
    });
    const [token] = (await site.api<{ data: { id: number }[] }>("GET", "/token")).data;
    await goTo(page, `/panel/token/${token?.id}`);
    await page.getByRole("tab", { name: "Settings", exact: true }).click();
    await test.step("the tooltip is accessible, and Escape closes it but keeps the focus", async () => {
      const time = page.getByRole("main").locator("time.has-tooltip").first();
      await expect(time).toBeVisible();
      // The focus opens it only while the keyboard is in use.
      await page.keyboard.press("Shift");
      await time.focus();
      await expect(page.getByRole("tooltip").getByText(exact)).toBeVisible();
      await expect(time).toHaveAccessibleDescription(exact);
      expect(await tooltipFaults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("tooltip")).toBeHidden();
      await expect(time).toBeFocused();
    });
  },
);

test("a late form with the prices of a group has the focus", { tag: "@nightly" }, async ({ page }) => {
  await page.goto("/panel/profile");
  await expectFocusOfLateForm(page, "/panel/user_group?prices=1", "**/api/user_group?*size=100*");
});

/** @param api the request whose answer the form waits for */
async function expectFocusOfLateForm(page: Page, path: string, api: string): Promise<void> {
  const answer = Promise.withResolvers<void>();
  await page.route(api, async (route) => {
    await answer.promise;
    await route.continue();
  });
  await goTo(page, path);
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  answer.resolve();
  await expect(dialog.getByRole("textbox").first()).toBeVisible();
  await expect(page.locator("[role=dialog] form input:focus")).toHaveCount(1);
}

test(
  "a long list scrolls to its selected option, and only the dialog scrolls while it is open",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/channel?edit=new");
    const dialog = page.getByRole("dialog");
    await test.step("the arrow keys scroll a list of options to the selected one", async () => {
      await dialog.getByRole("combobox", { name: "Provider" }).click();
      const list = page.getByRole("listbox");
      await expect(list).toBeVisible();
      for (let steps = 0; steps < 14; steps += 1) await page.keyboard.press("ArrowDown");
      await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
      await expect(list.locator("[data-combobox-selected]")).toBeInViewport();
      await page.keyboard.press("Escape");
      await expect(list).toBeHidden();
    });
    await test.step("the wheel scrolls the dialog and not the page behind it", async () => {
      await page.setViewportSize({ width: 1_000, height: 500 });
      await wheelAt(page, 20);
      await wheelAt(page, 800);
      await expect.poll(() => scrolledDialog(page)).toBe(300);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
    });
    await test.step("the wheel scrolls the page again when the dialog is closed", async () => {
      await page.keyboard.press("Escape");
      await expect(dialog).toBeHidden();
      await wheelAt(page, 500);
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    });
    await test.step("a property that a dialog sets at the body does not restyle every cell", async () => {
      const inherited = await page
        .locator("td")
        .first()
        .evaluate((cell) => {
          document.body.style.setProperty("--removed-body-scroll-bar-size", "15px");
          return getComputedStyle(cell).getPropertyValue("--removed-body-scroll-bar-size");
        });
      expect(inherited).toBe("");
    });
  },
);

async function wheelAt(page: Page, x: number): Promise<void> {
  await page.mouse.move(x, 250);
  await page.mouse.wheel(0, 300);
}

/** Returns how far the dialog, or a part of it, is scrolled. */
function scrolledDialog(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll("[role=dialog], [role=dialog] *")].map(({ scrollTop }) => scrollTop),
    ),
  );
}
