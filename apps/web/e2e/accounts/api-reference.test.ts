/** The API reference, and calls that are sent from it. */
import { faults } from "../support/faults.ts";
import { watchPolicy } from "../support/policy.ts";
import { expect, test } from "../support/test.ts";

test(
  "the API reference is searched, and sends requests with the session to this gateway only",
  { tag: "@nightly" },
  async ({ page, site }) => {
    await page.goto("/panel/profile?tab=access");
    const refused = watchPolicy(page);
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("heading", { level: 1, name: "API reference" }).waitFor();

    await test.step("a reading call shows its status and response", async () => {
      await page.getByPlaceholder("Search operations").fill("get /api/user/self");
      const operation = page.getByRole("button", { name: /^GET \/api\/user\/self / });
      await operation.click();
      await page.getByRole("button", { name: "Send request" }).click();
      const response = page.getByRole("status", { name: "Response" });
      await expect(response).toContainText("200");
      await expect(response).toContainText('"username": "root"');
      expect(await faults(page)).toEqual([]);
      await operation.click();
    });

    await test.step("a call that changes something is confirmed first, and invalid JSON is not sent", async () => {
      await page.getByPlaceholder("Search operations").fill("post /api/user_group");
      await page
        .getByRole("button", { name: /^POST \/api\/user_group / })
        .first()
        .click();
      const body = page.getByRole("textbox", { name: "JSON body" });
      await body.fill('{"symbol": ');
      const send = page.getByRole("button", { name: "Send request" });
      await expect(send).toBeDisabled();
      await body.fill('{"symbol": "sent", "name": "Sent", "ratio": 1, "api_rate": 60, "min": 0, "max": 0}');
      await send.click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      const groups = () => site.api<{ symbol: string }[]>("GET", "/group");
      expect(JSON.stringify(await groups())).not.toContain('"sent"');
      await send.click();
      await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
      await expect(page.getByRole("status", { name: "Response" })).toContainText("200");
      expect(JSON.stringify(await groups())).toContain('"sent"');
    });
    expect(refused).toEqual([]);
  },
);
