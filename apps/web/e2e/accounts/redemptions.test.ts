import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

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

describe("redemption codes", () => {
  it("are entered in dollars, created together, and exported as a file", async () => {
    const page = await site.open("/panel/redemption");
    await page.getByRole("button", { name: "New codes" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("Fair 2027");
    await form.getByLabel("Value of each code").fill("2.5");
    await form.getByText("1,250,000 points").waitFor();
    await form.getByLabel("Number of codes").fill("101");
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("At most 100 codes at a time").waitFor();
    await form.getByLabel("Number of codes").fill("3");
    await form.getByRole("button", { name: "Create" }).click();
    const made = page.getByRole("dialog").filter({ hasText: "3 codes created" });
    await made.waitFor();
    const download = page.waitForEvent("download");
    await made.getByRole("button", { name: "Download" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("Fair-2027.txt");
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
    const stored = await codes("Fair");
    expect(lines.sort()).toEqual(stored.map((code) => code.key).sort());
    expect(stored.every((code) => code.quota === 1_250_000)).toBe(true);
  });

  it("are created once, however often the save shortcut is pressed", async () => {
    const page = await site.open("/panel/redemption");
    await page.getByRole("button", { name: "New codes" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("Once");
    const blocked = Promise.withResolvers<void>();
    let requested = 0;
    await page.route("**/api/redemption", async (route) => {
      if (route.request().method() === "POST") {
        requested += 1;
        await blocked.promise;
      }
      await route.continue();
    });
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => requested).toBe(1);
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Enter");
    blocked.resolve();
    await page.getByRole("dialog").filter({ hasText: "1 code created" }).waitFor();
    expect(await codes("Once")).toHaveLength(1);
    expect(requested).toBe(1);
  });

  it("are copied from all pages on which they were selected", async () => {
    const made = await site.api<Code[]>("POST", "/redemption", { name: "Pages", quota: 1, count: 11 });
    const page = await site.open("/panel/redemption?keyword=Pages");
    await expect.poll(() => page.getByRole("row").filter({ hasText: "Pages" }).count()).toBe(10);
    await page.getByLabel("Select all rows").click();
    await page.getByText("10 selected").waitFor();
    await page.getByRole("button", { name: "2", exact: true }).click();
    await expect.poll(() => page.getByRole("row").filter({ hasText: "Pages" }).count()).toBe(1);
    await page.getByRole("row").filter({ hasText: "Pages" }).getByRole("checkbox").click();
    await page.getByText("11 selected").waitFor();
    // The same in one click.
    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.getByLabel("Select all rows").click();
    await page.getByText("1 selected").waitFor();
    await page.getByRole("button", { name: "Select all 11 matching" }).click();
    await page.getByText("11 selected").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
    expect(lines.sort()).toEqual(made.map((code) => code.key).sort());
  });

  it("credit the balance once, show who redeemed them, and are filtered by status", async () => {
    const [gift] = await site.api<Code[]>("POST", "/redemption", { name: "Gift", quota: 500_000, count: 1 });
    const page = await site.open("/panel/topup");
    await page.getByRole("textbox", { name: "Redemption code" }).fill(gift!.key);
    await page.getByRole("button", { name: "Redeem", exact: true }).click();
    await page.getByText("$1.00 was added to your balance.").waitFor();
    await page.locator("main").getByText("$201.00", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Redemption code" }).fill(gift!.key);
    await page.getByRole("button", { name: "Redeem", exact: true }).click();
    await page.getByText("This redemption code was already used").waitFor();

    const list = await site.open("/panel/redemption?keyword=Gift&status=3");
    const row = list.getByRole("row").filter({ hasText: "Gift" });
    await row.getByText("root", { exact: true }).waitFor();
    await expect.poll(() => row.getByRole("switch").count()).toBe(0);
    await list.goto("/panel/redemption?keyword=Gift&status=1");
    await list.getByText("No code matches").waitFor();
  });

  it("show in every language why they are rejected", async () => {
    for (const [locale, label, button, sentence] of [
      ["zh-CN", "兑换码", "兑换", "该兑换码无效。请检查后重试"],
      ["zh-HK", "兌換碼", "兌換", "該兌換碼無效。請檢查後重試"],
      [
        "ja-JP",
        "引き換えコード",
        "引き換える",
        "この引き換えコードは無効です。確認してもう一度お試しください",
      ],
    ] as const) {
      const page = await site.open("/panel/topup", { locale });
      await page.getByRole("textbox", { name: label }).fill("nonsense");
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByText(sentence).waitFor();
    }
  });

  it("can be disabled and deleted together", async () => {
    await site.api("POST", "/redemption", { name: "Bulk", quota: 1, count: 2 });
    const page = await site.open("/panel/redemption?keyword=Bulk");
    await page.getByRole("switch").first().press("Space");
    await expect.poll(async () => (await codes("Bulk")).filter((code) => code.status === 2).length).toBe(1);
    await page.getByLabel("Select all rows").click();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "Delete" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No code matches").waitFor();
    expect(await codes("Bulk")).toEqual([]);
  });
});

describe("the invitation", () => {
  it("is a registration link with the user's own code", async () => {
    const self = await site.api<{ aff_code: string }>("GET", "/user/self");
    const page = await site.open("/panel/topup");
    const link = await page.getByLabel("Invitation link", { exact: true }).inputValue();
    expect(link).toBe(`${site.url}/register?aff=${self.aff_code}`);
  });
});
