import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faults } from "../support/faults.ts";
import { openSite, type Site } from "../support/site.ts";

/** The lists of songs, videos and images, from the submission to the preview. */
let site: Site;
let key: string;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Studio",
    models: ["suno_lyrics", "chirp-v3-0", "kling-video_v1_std_5", "mj_imagine"],
    groups: ["default"],
    base_url: "",
    key: "",
  });
  key = (await site.api<{ key: string }>("POST", "/token", { name: "studio" })).key;
});
afterAll(() => site.close());

async function order(path: string, body: unknown): Promise<void> {
  const answer = await fetch(site.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** Providers are polled on a schedule, so tests need a long timeout. */
const PATIENCE = { timeout: 150_000 };

describe("the lists of tasks", () => {
  it("show instructions while they are empty", async () => {
    const page = await site.open("/panel/task");
    await page.getByText("No tasks yet").waitFor();
    await page.getByRole("link", { name: "Midjourney" }).click();
    await page.getByText("No images yet").waitFor();
  });

  it("show progress, results and refunds", PATIENCE, async () => {
    await order("/suno/submit/music", { prompt: "A song about boats" });
    await order("/suno/submit/lyrics", { prompt: "Words about boats" });
    await order("/kling/v1/videos/text2video", { prompt: "A boat at dawn" });
    await order("/suno/submit/lyrics", { prompt: "Nothing comes of it [[task=fail]]" });
    await order("/mj/submit/imagine", { prompt: "A boat in watercolour" });

    const page = await site.open("/panel/task");
    const row = (text: string) => page.getByRole("row").filter({ hasText: text });
    await row("A song about boats").getByText("Accepted").waitFor();
    // Without a reload: the list polls automatically while a task is active.
    await row("A song about boats").getByText("Done").waitFor(PATIENCE);
    await row("A boat at dawn").getByText("Done").waitFor(PATIENCE);
    await row("Nothing comes of it").getByText("Failed").waitFor(PATIENCE);
    await row("Nothing comes of it").getByText("refunded").waitFor();

    const drawer = page.getByRole("dialog");
    await row("A song about boats").getByRole("button", { name: "Open" }).click();
    const song = drawer.locator("audio").first();
    await song.waitFor();
    await song.evaluate((player: HTMLAudioElement) => {
      player.preload = "metadata";
      player.load();
    });
    await expect
      .poll(() => song.evaluate((player: HTMLAudioElement) => player.duration))
      .toBeGreaterThan(0.3);
    await drawer.getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "hidden" });

    await row("A boat at dawn").getByRole("button", { name: "Open" }).click();
    const video = drawer.locator("video");
    await expect.poll(() => video.evaluate((player: HTMLVideoElement) => player.videoWidth)).toBe(96);
    await drawer.getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "hidden" });

    await row("Words about boats").getByRole("button", { name: "Open" }).click();
    await drawer.getByText("[Chorus]").waitFor();
    await drawer.getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "hidden" });

    await row("Nothing comes of it").getByRole("button", { name: "Open" }).click();
    await drawer.getByText("The demo provider was set to fail.").waitFor();
    await drawer.getByText("The cost of the task was refunded.").waitFor();
  });

  it("are filtered by the address", async () => {
    const page = await site.open("/panel/task?platform=kling");
    await page.getByText("A boat at dawn").waitFor();
    await expect.poll(() => page.getByText("A song about boats").count()).toBe(0);
    await page.goto("/panel/task?status=QUEUED");
    await page.getByText("No task matches").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByText("A song about boats").waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe("");
  });

  it("show images, small in the list and large when opened", async () => {
    const page = await site.open("/panel/midjourney");
    const row = page.getByRole("row").filter({ hasText: "A boat in watercolour" });
    await row.getByText("Done").waitFor(PATIENCE);
    const small = row.locator("img[src^='data:image']");
    await expect.poll(() => small.evaluate((picture: HTMLImageElement) => picture.naturalWidth)).toBe(128);
    await row.getByRole("button", { name: "Open" }).click();
    await page.getByRole("dialog").getByRole("img", { name: "A boat in watercolour" }).waitFor();
  });

  it("are accessible: axe reports nothing in lists and drawers, in light and dark mode", async () => {
    for (const [path, dark] of [
      ["/panel/task", false],
      ["/panel/midjourney", true],
    ] as const) {
      const page = await site.open(path, { dark });
      await page.getByText("Done").first().waitFor();
      expect(await faults(page)).toEqual([]);
      await page.getByRole("button", { name: "Open" }).last().click();
      await page.getByRole("dialog").getByText("Task ID").waitFor();
      await page.waitForTimeout(400);
      expect(await faults(page, "[role=dialog]")).toEqual([]);
    }
  });

  it("fit a phone", async () => {
    for (const path of ["/panel/task", "/panel/midjourney"]) {
      const page = await site.open(path, { phone: true, locale: "ja-JP" });
      await page.getByText("完了").first().waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
    }
  });
});
