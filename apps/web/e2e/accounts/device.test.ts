import { goTo } from "../support/go-to.ts";
import { rootUser } from "../support/installation.ts";
import { expect, test, type Site } from "../support/test.ts";
import { keyStatus } from "./common-steps.ts";

test.use({ guest: true });

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

async function ask(path: string, form: Record<string, string>): Promise<Record<string, string>> {
  const response = await fetch(`${site.url}${path}`, { method: "POST", body: new URLSearchParams(form) });
  return (await response.json()) as Record<string, string>;
}

const begin = (device: string) => ask("/device/authorization", { device_name: device });

const tokenOf = (started: Record<string, string>) =>
  ask("/device/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: started["device_code"] ?? "",
  });

test(
  "a command-line device is approved with limits, listed in the profile and revoked, or denied",
  { tag: "@nightly" },
  async ({ page }) => {
    const laptop = await begin("Work laptop");
    const address = `/device?code=${laptop["user_code"] ?? ""}`;
    const code = page.getByRole("textbox", { name: "Code on your device" });
    const next = page.getByRole("button", { name: "Continue" });

    await test.step("a guest is led to the sign-in page, and returns after it", async () => {
      await page.goto(address);
      await expect.poll(() => new URL(page.url()).searchParams.get("next")).toBe(address);
      await page.getByLabel("Username or email").fill(rootUser.username);
      await page.getByRole("textbox", { name: "Password" }).fill(rootUser.password);
      await page.getByRole("button", { name: "Sign in", exact: true }).last().click();
    });

    let key = "";
    await test.step("an unknown code is rejected, and the approved device gets a key", async () => {
      await expect(code).toHaveValue(laptop["user_code"] ?? "");
      await code.fill("BBBB-BBBB");
      await next.click();
      await page.getByRole("alert").getByText("This code is unknown").waitFor();
      await code.fill((laptop["user_code"] ?? "").toLowerCase());
      await next.click();
      await page.getByText("Only approve a sign-in that you started yourself.").waitFor();
      await page.getByText("Limited", { exact: true }).click();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Work laptop is signed in").waitFor();
      key = (await tokenOf(laptop))["access_token"] ?? "";
      expect(key).toMatch(/^sk-/);
      expect(await keyStatus(site, key)).toBe(200);
    });

    await test.step("the device is revoked in the profile", async () => {
      await page.getByRole("link", { name: "Command-line devices" }).click();
      await page.getByRole("button", { name: "Sign out Work laptop" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await page.getByText("No devices are signed in").waitFor();
      expect(await keyStatus(site, key)).toBe(401);
    });

    await test.step("a denied device gets no key", async () => {
      const stranger = await begin("Stranger");
      await goTo(page, `/device?code=${stranger["user_code"] ?? ""}`);
      await next.click();
      await page.getByRole("button", { name: "Deny" }).click();
      await page.getByText("The sign-in was denied").waitFor();
      expect(await tokenOf(stranger)).toMatchObject({ error: "access_denied" });
    });
  },
);
