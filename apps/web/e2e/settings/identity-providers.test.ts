/** OpenID Connect providers of organizations, in the settings. */
import { goTo } from "../support/go-to.ts";
import { expect, test } from "../support/test.ts";

interface Provider {
  name: string;
  slug: string;
  preset: string;
  issuer: string;
  client_id: string;
}

test(
  "a sign-in provider is added from a preset, shown after a reload, and deleted",
  { tag: "@nightly" },
  async ({ page, site }) => {
    const providers = () => site.api<Provider[]>("GET", "/identity_provider");
    const section = page.getByRole("region", { name: "Sign-in providers of organizations" });
    const form = page.getByRole("dialog", { name: "New sign-in provider" });
    await page.goto("/panel/setting?section=identity-providers");

    await test.step("the preset fills in the usual values", async () => {
      await section.getByRole("button", { name: "Add sign-in provider" }).click();
      await form.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: "Google", exact: false }).first().click();
      await expect(form.getByRole("textbox", { name: "Issuer" })).toHaveValue("https://accounts.google.com");
      await form.getByRole("textbox", { name: /^Name/ }).fill("Acme staff");
      await form.getByRole("textbox", { name: /^Client ID/ }).fill("acme-client");
    });

    await test.step("a provider without a secret is not saved", async () => {
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form.getByLabel(/^Client secret/)).toHaveAttribute("data-invalid", "true");
      expect(await providers()).toEqual([]);
    });

    await test.step("it is saved, shown after a reload and on the sign-in page, and its secret is not", async () => {
      await form.getByLabel(/^Client secret/).fill("acme-secret");
      await form.getByRole("button", { name: "Save" }).click();
      await expect(form).toHaveCount(0);
      expect(await providers()).toMatchObject([
        {
          name: "Acme staff",
          preset: "google",
          issuer: "https://accounts.google.com",
          client_id: "acme-client",
        },
      ]);
      expect(JSON.stringify(await providers())).not.toContain("acme-secret");
      await page.reload();
      await section.getByText("Acme staff").waitFor();
      const guest = await site.open("/login", { guest: true });
      await guest
        .getByRole("link", { name: /Acme staff/ })
        .or(guest.getByRole("button", { name: /Acme staff/ }))
        .waitFor();
    });

    await test.step("it is deleted after a confirmation", async () => {
      await section.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await section.getByText("No provider yet").waitFor();
      expect(await providers()).toEqual([]);
      await goTo(page, "/panel/setting?section=identity-providers");
      await section.getByText("No provider yet").waitFor();
    });
  },
);
