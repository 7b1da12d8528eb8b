import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

interface Stored {
  id: number;
  base_url: string;
}

const looks = [
  { locale: "en-US" },
  { locale: "zh-CN", dark: true },
  { locale: "en-US", phone: true, dark: true },
  { locale: "zh-CN", phone: true },
];

describe("the editor of a channel with stored keys", () => {
  it("warns where the keys would be sent when the address changes", async () => {
    const { id } = await site.api<Stored>("POST", "/channel", {
      type: 8,
      name: "Bound",
      key: "sk-alpha-000000001",
      base_url: "https://api.example.com",
      models: ["gpt-4o"],
      groups: ["default"],
    });
    for (const look of looks) {
      const page = await site.open(`/panel/channel?edit=${id}`, look);
      const address = page.locator('input[type="url"]').first();
      await address.fill("https://elsewhere.example.net");
      const alert = page.getByRole("dialog").getByRole("alert");
      await alert.waitFor();
      if (look.locale === "en-US") expect(await alert.textContent()).toContain("another address");
      await address.fill("https://api.example.com/");
      await alert.waitFor({ state: "detached" });
      await page.close();
    }
  });
});
