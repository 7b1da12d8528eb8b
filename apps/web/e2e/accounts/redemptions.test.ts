import { readFile } from "node:fs/promises";
import type { Download } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";
import { rowOf } from "./common-steps.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
});

interface Code {
  id: number;
  name: string;
  key: string;
  status: number;
  quota: number;
  redeemer: string;
}

async function codes(name: string): Promise<Code[]> {
  return (await site.api<{ data: Code[] }>("GET", `/redemption?size=100&keyword=${name}`)).data;
}

/** Returns the keys in a downloaded file. */
async function linesOf(download: Download): Promise<string[]> {
  return (await readFile(await download.path(), "utf8")).trim().split("\n").toSorted();
}

const keysOf = (list: Code[]) => list.map((code) => code.key).toSorted();

test(
  "redemption codes are entered in dollars, created together and once, and exported as a file",
  { tag: "@nightly" },
  async ({ page }) => {
    await page.goto("/panel/redemption");
    const form = page.getByRole("dialog");

    await test.step("created codes are downloaded", async () => {
      await page.getByRole("button", { name: "New codes" }).first().click();
      await form.getByLabel("Name").fill("Fair 2027");
      await form.getByLabel("Value of each code").fill("2.5");
      await form.getByText("1,250,000 points").waitFor();
      await form.getByLabel("Number of codes").fill("101");
      await form.getByRole("button", { name: "Create" }).click();
      await form.getByText("At most 100 codes at a time").waitFor();
      await form.getByLabel("Number of codes").fill("3");
      await form.getByRole("button", { name: "Create" }).click();
      const created = form.filter({ hasText: "3 codes created" });
      const download = page.waitForEvent("download");
      await created.getByRole("button", { name: "Download" }).click();
      expect((await download).suggestedFilename()).toBe("Fair-2027.txt");
      const stored = await codes("Fair");
      expect(await linesOf(await download)).toEqual(keysOf(stored));
      expect(stored.every((code) => code.quota === 1_250_000)).toBe(true);
      await page.keyboard.press("Escape");
      await expect(form).toHaveCount(0);
    });

    await test.step("a save shortcut that is pressed three times creates a code once", async () => {
      await page.getByRole("button", { name: "New codes" }).first().click();
      await form.getByLabel("Name").fill("Once");
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      let requests = 0;
      await page.route("**/api/redemption", async (route) => {
        if (route.request().method() === "POST") {
          requests += 1;
          await released;
        }
        await route.continue();
      });
      await page.keyboard.press("Control+Enter");
      await expect.poll(() => requests).toBe(1);
      await page.keyboard.press("Control+Enter");
      await page.keyboard.press("Control+Enter");
      release();
      await form.filter({ hasText: "1 code created" }).waitFor();
      expect(await codes("Once")).toHaveLength(1);
      expect(requests).toBe(1);
    });
  },
);

test(
  "redemption codes are selected on all pages, downloaded, disabled and deleted",
  { tag: "@nightly" },
  async ({ page }) => {
    const created = await site.api<Code[]>("POST", "/redemption", { name: "Pages", quota: 1, count: 11 });
    await page.goto("/panel/redemption?keyword=Pages&size=10");

    await test.step("a selection reaches over pages", async () => {
      await expect(rowOf(page, "Pages")).toHaveCount(10);
      await page.getByLabel("Select all rows").click();
      await page.getByText("10 selected").waitFor();
      await page.getByRole("button", { name: "2", exact: true }).click();
      await expect(rowOf(page, "Pages")).toHaveCount(1);
      await rowOf(page, "Pages").getByRole("checkbox").click();
      await page.getByText("11 selected").waitFor();
    });

    await test.step("one click selects all matches, and their keys are downloaded", async () => {
      await page.getByRole("button", { name: "Clear selection" }).click();
      await page.getByLabel("Select all rows").click();
      await page.getByText("1 selected").waitFor();
      await page.getByRole("button", { name: "Select all 11 matching" }).click();
      await page.getByText("11 selected").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download" }).click();
      expect(await linesOf(await download)).toEqual(keysOf(created));
    });

    await test.step("a code is disabled by its switch", async () => {
      await page.getByRole("switch").first().press("Space");
      await expect
        .poll(async () => (await codes("Pages")).filter((code) => code.status === 2))
        .toHaveLength(1);
    });

    await test.step("the selected codes are deleted after a confirmation", async () => {
      await page.getByText("11 selected").waitFor();
      await page.getByRole("button", { name: "Delete" }).first().click();
      await page.getByRole("dialog").getByText("Delete 11 codes?").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("No code matches").waitFor();
      expect(await codes("Pages")).toEqual([]);
    });
  },
);

test("a redemption code credits the balance once, and the list shows who redeemed it", async ({ page }) => {
  const [gift] = await site.api<Code[]>("POST", "/redemption", { name: "Gift", quota: 500_000, count: 1 });
  const self = await site.api<{ aff_code: string }>("GET", "/user/self");
  await page.goto("/panel/topup");
  await expect(page.getByLabel("Invitation link", { exact: true })).toHaveValue(
    `${site.url}/register?aff=${self.aff_code}`,
  );
  const field = page.getByRole("textbox", { name: "Redemption code" });
  await field.fill(gift!.key);
  await page.getByRole("button", { name: "Redeem", exact: true }).click();
  await page.getByText("$1.00 was added to your balance.").waitFor();
  await page.locator("main").getByText("$201.00", { exact: true }).waitFor();
  await field.fill(gift!.key);
  await page.getByRole("button", { name: "Redeem", exact: true }).click();
  await page.getByText("This redemption code was already used").waitFor();

  await goTo(page, "/panel/redemption?keyword=Gift&status=3");
  await rowOf(page, "Gift").getByText("root", { exact: true }).waitFor();
  await expect(rowOf(page, "Gift").getByRole("switch")).toHaveCount(0);
  await goTo(page, "/panel/redemption?keyword=Gift&status=1");
  await page.getByText("No code matches").waitFor();
});
