import type { Locator, Page } from "@playwright/test";
import { faults } from "../support/faults.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

/** The lists of songs, videos and images, from the submission to the preview. */
let site: Site;
let key: string;

test.beforeAll(async ({ site: started }) => {
  site = started;
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

async function order(path: string, body: unknown): Promise<void> {
  const answer = await fetch(site.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** Providers are polled on a schedule, so a result takes a while. */
const patience = { timeout: 90_000 };

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
const drawerOf = (page: Page) => page.getByRole("dialog");

async function open(page: Page, text: string): Promise<Locator> {
  await rowOf(page, text).getByRole("button", { name: "Open" }).click();
  return drawerOf(page);
}

async function close(page: Page): Promise<void> {
  await drawerOf(page).getByRole("button", { name: "Close" }).click();
  await drawerOf(page).waitFor({ state: "hidden" });
}

async function openList(page: Page, name: string): Promise<void> {
  const menu = page.getByRole("navigation", { name: "Console" });
  await menu.getByRole("link", { name, exact: true }).click();
}

test(
  "the lists of tasks show instructions, then progress, results and refunds",
  { tag: "@nightly" },
  async ({ page }) => {
    await test.step("empty lists show instructions", async () => {
      await page.goto("/panel/task");
      await page.getByText("No tasks yet").waitFor();
      await openList(page, "Midjourney");
      await page.getByText("No images yet").waitFor();
    });
    await test.step("the list follows active tasks without a reload", async () => {
      await order("/suno/submit/music", { prompt: "A song about boats" });
      await order("/suno/submit/lyrics", { prompt: "Words about boats" });
      await order("/kling/v1/videos/text2video", { prompt: "A boat at dawn" });
      await order("/suno/submit/lyrics", { prompt: "Nothing comes of it [[task=fail]]" });
      await order("/mj/submit/imagine", { prompt: "A boat in watercolour" });
      // An empty list has no active tasks to follow, so it is loaded anew.
      await page.goto("/panel/task");
      for (const text of ["A song about boats", "Words about boats", "A boat at dawn"])
        await rowOf(page, text).getByText("Done").waitFor(patience);
    });
    await test.step("a failed task is refunded, with its reason", async () => {
      await rowOf(page, "Nothing comes of it").getByText("Failed").waitFor(patience);
      await rowOf(page, "Nothing comes of it").getByText("refunded").waitFor();
      const drawer = await open(page, "Nothing comes of it");
      await drawer.getByText("The demo provider was set to fail.").waitFor();
      await drawer.getByText("The cost of the task was refunded.").waitFor();
      expect(await faults(page, "[role=dialog]")).toEqual([]);
      await close(page);
    });
    await test.step("songs and videos are played, and lyrics are shown", async () => {
      await expectSong((await open(page, "A song about boats")).locator("audio").first());
      await close(page);
      const video = (await open(page, "A boat at dawn")).locator("video");
      await expect.poll(() => video.evaluate((player: HTMLVideoElement) => player.videoWidth)).toBe(96);
      await close(page);
      await (await open(page, "Words about boats")).getByText("[Chorus]").waitFor();
      await close(page);
    });
    await test.step("filters are in the address, and cleared with one click", async () => {
      await goTo(page, "/panel/task?platform=kling");
      await expect(rowOf(page, "A song about boats")).toHaveCount(0);
      await rowOf(page, "A boat at dawn").waitFor();
      await goTo(page, "/panel/task?status=QUEUED");
      await page.getByText("No task matches").waitFor();
      await page.getByRole("button", { name: "Clear filters" }).first().click();
      await rowOf(page, "A song about boats").waitFor();
      await page.waitForURL("**/panel/task");
    });
    await test.step("images are small in the list and large when opened", async () => {
      await openList(page, "Midjourney");
      const row = rowOf(page, "A boat in watercolour");
      await row.getByText("Done").waitFor(patience);
      const small = row.locator("img[src^='data:image']");
      await expect.poll(() => small.evaluate((picture: HTMLImageElement) => picture.naturalWidth)).toBe(128);
      const drawer = await open(page, "A boat in watercolour");
      await drawer.getByRole("img", { name: "A boat in watercolour" }).waitFor();
      expect(await faults(page, "[role=dialog]")).toEqual([]);
    });
  },
);

/** Expects that the browser can play the song. */
async function expectSong(song: Locator): Promise<void> {
  await song.evaluate((player: HTMLAudioElement) => {
    player.preload = "metadata";
    player.load();
  });
  await expect.poll(() => song.evaluate((player: HTMLAudioElement) => player.duration)).toBeGreaterThan(0.3);
}
