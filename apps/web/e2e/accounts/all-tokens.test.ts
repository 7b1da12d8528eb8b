import type { TokenAdminRow, CreatedToken } from "@gateway/shared/accounts/token";
import type { UserDetail } from "@gateway/shared/accounts/user";
import { expect, test } from "../support/test.ts";
import { keyStatus, rowOf, useRowMenu } from "./common-steps.ts";

test(
  "the list of all tokens is searched by owner, and an administrator moves and disables a token",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const makeToken = (name: string) => site.api<CreatedToken>("POST", "/token", { name });
    const heir = await site.api<UserDetail>("POST", "/user", {
      username: "the-heir",
      password: "long enough",
    });
    const shop = await makeToken("For the shop");
    const runaway = await makeToken("Runaway");
    const search = page.getByPlaceholder("Search by name or owner");
    const drawer = page.getByRole("dialog", { name: "Edit “For the shop”" });
    const owner = drawer.getByRole("combobox", { name: "User" });

    await test.step("the search finds a token with its owner, and no key can be copied", async () => {
      await page.goto("/panel/token");
      await page.getByText("All users'", { exact: true }).click();
      await page.waitForURL("**/token?view=all");
      await search.fill("shop");
      await expect(page.locator("tbody tr")).toHaveCount(1);
      await rowOf(page, "For the shop").getByRole("link", { name: "root" }).waitFor();
      await expect(page.getByRole("button", { name: "Copy Key" })).toHaveCount(0);
    });

    await test.step("a chosen owner is discarded only after a question", async () => {
      await rowOf(page, "For the shop").click();
      // The first field has the focus, and its list does not cover the form.
      await expect(owner).toBeFocused();
      await expect(owner).toHaveAttribute("aria-expanded", "false");
      await owner.fill("the-h");
      await page.getByRole("option", { name: "the-heir" }).click();
      await drawer.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
      await page.getByRole("button", { name: "Discard changes" }).click();
      await expect(drawer).toBeHidden();
    });

    await test.step("a token gets another owner and a new key", async () => {
      await rowOf(page, "For the shop").click();
      await owner.fill("the-h");
      await page.getByRole("option", { name: "the-heir" }).click();
      await drawer.getByText("The old key stops working immediately").waitFor();
      await drawer.getByRole("button", { name: "Save and transfer" }).click();
      await page.getByText("Token transferred").waitFor();
      await rowOf(page, "For the shop").getByRole("link", { name: "the-heir" }).waitFor();
      const { data } = await site.api<{ data: TokenAdminRow[] }>(
        "GET",
        `/token/admin/search?token_id=${shop.id}`,
      );
      expect(data[0]?.user_id).toBe(heir.id);
      expect(await keyStatus(site, shop.key)).toBe(401);
    });

    await test.step("a disabled token is refused", async () => {
      await search.fill("Runaway");
      await rowOf(page, "Runaway").waitFor();
      await useRowMenu(page, "Runaway", "Disable");
      await rowOf(page, "Runaway").getByText("Disabled").waitFor();
      expect(await keyStatus(site, runaway.key)).toBe(401);
    });
  },
);
