import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat", "demo-chat-mini", "demo-think", "demo-image"],
    groups: ["default"],
  });
});
afterAll(() => site.close());

const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function chooseModel(page: Page, name: string, model: string): Promise<void> {
  await page.getByRole("combobox", { name, exact: true }).click();
  // The catalogue's name is displayed below, once it has loaded.
  await page
    .getByRole("option")
    .filter({ has: page.getByText(model, { exact: true }) })
    .click();
}

describe("the playground", () => {
  it("shows the response with its tokens and cost, and keeps the chat in the browser", async () => {
    const page = await site.open("/panel/playground");
    await page.getByRole("button", { name: /Write code/ }).click();
    await page.getByText("Here is a small example:").waitFor();
    await page.getByText(/Cost \$0\.000\d+/).waitFor();
    await page.getByText(/\d+ in, \d+ out/).waitFor();

    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^export function add/);

    await page.reload();
    await page.getByText("What would you like to try?").waitFor();
    await page
      .getByRole("button", { name: /^Write code: a TypeScript/ })
      .first()
      .click();
    await page.getByText("Here is a small example:").waitFor();

    await page.getByRole("button", { name: /^Delete Write code/ }).click();
    await page.getByText("1 chat deleted").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Here is a small example:").waitFor();

    // Messages deleted in a row are one notification, whose button restores all of them.
    await page.reload();
    await page.getByText("What would you like to try?").waitFor();
    await say(page, "A second chat");
    await page.getByText(/Cost \$0\.000\d+/).waitFor();
    const remove = page.getByRole("button", { name: /^Delete / });
    const chats = await remove.count();
    await remove.first().click();
    await page.getByText("1 chat deleted").waitFor();
    await remove.first().click();
    await page.getByText("2 chats deleted").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Undo" }).count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => remove.count()).toBe(chats);
  });

  it("calls several models at once and stops them together", async () => {
    const page = await site.open("/panel/playground");
    await chooseModel(page, "Model", "demo-think");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await expect.poll(() => page.getByRole("button", { name: "Compare", exact: true }).count()).toBe(0);
    await say(page, "hello [[chunk-delay=40]] [[length=4000]]");
    await page.getByText("This sentence belongs to a long answer").nth(2).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped").nth(2).waitFor();
    await page.getByRole("button", { name: "Regenerate" }).first().waitFor();
  });

  it("offers to top up when the balance does not cover the call", async () => {
    const page = await site.open("/panel/playground");
    const error = { message: "Too little", code: "insufficient_quota", type: "insufficient_quota" };
    await page.route("**/v1/chat/completions", (route) => route.fulfill({ status: 402, json: { error } }));
    await say(page, "Hello");
    await page.getByText("The account balance does not cover this request").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Top up" }).click();
    await page.waitForURL("**/panel/topup");
  });

  it("keeps the prompt and the partial response after a reload", async () => {
    const page = await site.open("/panel/playground");
    await say(page, "keep me [[chunk-delay=40]] [[length=4000]]");
    await page.getByText("This sentence belongs to a long answer").first().waitFor();
    await page.reload();
    await page.getByRole("button", { name: /^keep me/ }).click();
    await page.getByText("This sentence belongs to a long answer").first().waitFor();
    await page.getByText("Stopped").waitFor();
  });

  it("sends the system prompt, the parameters and images", async () => {
    const page = await site.open("/panel/playground");
    await page.getByRole("button", { name: "System prompt and parameters" }).click();
    await page.getByLabel("System prompt", { exact: true }).fill("Be brief.");
    await page.getByLabel("Temperature").fill("0.3");
    await page.getByLabel("Maximum output tokens").fill("200");
    await page.keyboard.press("Escape");
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Attach images" }).click(),
    ]);
    await chooser.setFiles({
      name: "dot.png",
      mimeType: "image/png",
      buffer: Buffer.from(onePixel, "base64"),
    });
    await page.getByAltText("Image 1").waitFor();
    const [request] = await Promise.all([
      page.waitForRequest("**/v1/chat/completions"),
      say(page, "What is this?"),
    ]);
    expect(request.postDataJSON()).toMatchObject({
      stream: true,
      temperature: 0.3,
      max_tokens: 200,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text" }, { type: "image_url" }] },
      ],
    });
    await page.getByText("I see 1 image", { exact: false }).waitFor();
  });

  it("requests an image from an image model, and shows its cost", async () => {
    const page = await site.open("/panel/playground");
    await chooseModel(page, "Model", "demo-image");
    await say(page, "A red house");
    const picture = page.getByRole("img", { name: "Image from demo-image" });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);
    await page.getByText(/Cost \$0\.01/).waitFor();
  });

  it("shows the gateway's error in place of the response, with the request id, and tries again", async () => {
    const page = await site.open("/panel/playground");
    await say(page, "boom [[status=400]]");
    const failure = page.getByRole("alert");
    await failure.getByText("The request is not valid.", { exact: true }).waitFor();
    await failure.getByText(/^[0-9a-f-]{36}$/).waitFor();
    await failure.getByRole("button", { name: "Copy Request ID" }).waitFor();
    const again = page.waitForRequest("**/v1/chat/completions");
    await page.getByRole("button", { name: "Try again" }).click();
    await again;
    await failure.getByText("The request is not valid.", { exact: true }).waitFor();
  });

  it("never runs or loads content of a response", async () => {
    const page = await site.open("/panel/playground");
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith("data:"))
        foreign.push(request.url());
    });
    const answer =
      "<img src=x onerror=document.title='hit'> ![p](https://leak.invalid/p.png) <iframe src=https://leak.invalid/f></iframe> end";
    // The demo model repeats its prompt.
    await say(page, answer);
    await page.getByText("end", { exact: false }).last().waitFor();
    await page.getByRole("link", { name: "p", exact: true }).waitFor();
    await expect.poll(() => page.title()).not.toBe("hit");
    expect(foreign).toEqual([]);
  });

  it("asks for confirmation before another site gets a key", async () => {
    const page = await site.open("/playground");
    await page.getByRole("tab", { name: "ChatGPT Next" }).click();
    await page
      .getByText("This chat is hosted on another site, app.nextchat.dev.", { exact: false })
      .waitFor();
    await expect.poll(() => page.locator("iframe").count()).toBe(0);
    const address = await page.getByRole("link", { name: "Open in a new tab" }).getAttribute("href");
    expect(address).toContain(encodeURIComponent(site.url));
    expect(address).toMatch(/sk-\w{40}/);
  });

  it("fits a phone, in dark mode and in Japanese", async () => {
    const page = await site.open("/panel/playground", { phone: true, dark: true, locale: "ja-JP" });
    await page.getByText("何を試しますか？").waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(wide).toBe(false);
    await page.getByRole("button", { name: "チャット一覧" }).click();
    await page.getByText("チャットはこのブラウザーにだけ保存されます。").waitFor();
  });

  it("requires a signed-in user", async () => {
    const page = await site.open("/playground", { guest: true });
    await page.waitForURL("**/login?next=*");
  });
});
