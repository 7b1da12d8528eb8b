import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

async function ask(path: string, form: Record<string, string>): Promise<Record<string, string>> {
  const response = await fetch(`${site.url}${path}`, { method: "POST", body: new URLSearchParams(form) });
  return (await response.json()) as Record<string, string>;
}

it("approves a device with limits, lists it in the profile, and revokes it", async () => {
  const started = await ask("/device/authorization", { device_name: "Work laptop" });
  const page = await site.open(`/device?code=${started["user_code"] ?? ""}`);
  const code = page.getByRole("textbox", { name: "Code on your device" });
  await expect.poll(() => code.inputValue()).toBe(started["user_code"]);
  await code.fill("BBBB-BBBB");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").getByText("This code is unknown").waitFor();
  await code.fill((started["user_code"] ?? "").toLowerCase());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Only approve a sign-in that you started yourself.").waitFor();
  await page.getByText("Limited", { exact: true }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Work laptop is signed in").waitFor();

  const issued = await ask("/device/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: started["device_code"] ?? "",
  });
  expect(issued["access_token"]).toMatch(/^sk-/);

  await page.getByRole("link", { name: "Command-line devices" }).click();
  await page.getByRole("button", { name: "Sign out Work laptop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No devices are signed in").waitFor();
  const models = await fetch(`${site.url}/v1/models`, {
    headers: { authorization: `Bearer ${issued["access_token"] ?? ""}` },
  });
  expect(models.status).toBe(401);
});

it("denies a device", async () => {
  const started = await ask("/device/authorization", { device_name: "Stranger" });
  const page = await site.open(`/device?code=${started["user_code"] ?? ""}`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("The sign-in was denied").waitFor();
  const answer = await ask("/device/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: started["device_code"] ?? "",
  });
  expect(answer["error"]).toBe("access_denied");
});

it("keeps the code through the sign-in", async () => {
  const page = await site.open("/device?code=BCDF-GHJK", { guest: true });
  await expect.poll(() => new URL(page.url()).searchParams.get("next")).toBe("/device?code=BCDF-GHJK");
});
