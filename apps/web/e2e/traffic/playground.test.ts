import type { Page } from "@playwright/test";
import { rootUser } from "../support/installation.ts";
import { expect, test, type Site } from "../support/test.ts";

let site: Site;

test.beforeAll(async ({ site: started }) => {
  site = started;
  await site.api("POST", "/channel", {
    type: 900,
    name: "Demo upstream",
    models: ["demo-chat", "demo-chat-mini", "demo-think", "demo-image"],
    groups: ["default"],
  });
});

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

const cost = /Cost \$0\.000\d+/;
const partial = "This sentence belongs to a long answer";

test(
  "the playground keeps chats in the browser, and deleted ones are restored",
  { tag: "@nightly" },
  async ({ page }) => {
    const remove = page.getByRole("button", { name: /^Delete / });
    const undo = page.getByRole("button", { name: "Undo" });

    await test.step("a response has tokens and cost, and is copied", async () => {
      await page.goto("/panel/playground");
      await page.getByRole("button", { name: /Write code/ }).click();
      await page.getByText("Here is a small example:").waitFor();
      await page.getByText(cost).waitFor();
      await page.getByText(/\d+ in, \d+ out/).waitFor();
      await page.getByRole("button", { name: "Copy", exact: true }).click();
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toMatch(/^export function add/);
    });
    await test.step("a reload keeps chats, the last prompt and its partial response", async () => {
      await page.getByRole("button", { name: "New chat" }).click();
      await say(page, "keep me [[chunk-delay=40]] [[length=4000]]");
      await page.getByText(partial).first().waitFor();
      await page.reload();
      await page.getByText("What would you like to try?").waitFor();
      await page.getByRole("button", { name: /^keep me/ }).click();
      await page.getByText(partial).first().waitFor();
      await page.getByText("Stopped").waitFor();
      await page
        .getByRole("button", { name: /^Write code: a TypeScript/ })
        .first()
        .click();
      await page.getByText("Here is a small example:").waitFor();
    });
    await test.step("a deleted chat is restored", async () => {
      await page.getByRole("button", { name: /^Delete Write code/ }).click();
      await page.getByText("1 chat deleted").waitFor();
      await undo.click();
      await page.getByText("Here is a small example:").waitFor();
      await expect(remove).toHaveCount(2);
    });
    await test.step("chats deleted in a row are one message, whose button restores all of them", async () => {
      await remove.first().click();
      await page.getByText("1 chat deleted").waitFor();
      await remove.first().click();
      await page.getByText("2 chats deleted").waitFor();
      await expect(undo).toHaveCount(1);
      await undo.click();
      await expect(remove).toHaveCount(2);
    });
  },
);

test("the playground never runs or loads content of a response, shows errors in its place, and compares models", async ({
  page,
}) => {
  await page.goto("/panel/playground");
  const completions = "**/v1/chat/completions";

  await test.step("content of a response is neither run nor loaded", async () => {
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(site.url) && !request.url().startsWith("data:"))
        foreign.push(request.url());
    });
    const answer =
      "<img src=x onerror=document.title='hit'> ![p](https://leak.invalid/p.png) <iframe src=https://leak.invalid/f></iframe> end";
    // The demo model repeats its prompt.
    await say(page, answer);
    await page.getByText(cost).waitFor();
    await page.getByRole("link", { name: "p", exact: true }).waitFor();
    await expect(page).not.toHaveTitle("hit");
    expect(foreign).toEqual([]);
  });
  await test.step("the gateway's error has the request id, and is tried again", async () => {
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "boom [[status=400]]");
    const failure = page.getByRole("alert");
    await failure.getByText("The request is not valid.", { exact: true }).waitFor();
    await failure.getByText(/^[0-9a-f-]{36}$/).waitFor();
    await failure.getByRole("button", { name: "Copy Request ID" }).waitFor();
    const again = page.waitForRequest(completions);
    await page.getByRole("button", { name: "Try again" }).click();
    await again;
    await failure.getByText("The request is not valid.", { exact: true }).waitFor();
  });
  await test.step("a balance that does not cover the call is explained, with a link to top up", async () => {
    const error = { message: "Too little", code: "insufficient_quota", type: "insufficient_quota" };
    await page.route(completions, (route) => route.fulfill({ status: 402, json: { error } }));
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "Hello");
    await page.getByText("The account balance does not cover this request").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Top up" }).click();
    await page.waitForURL("**/panel/topup");
    await page.unroute(completions);
    await page.goBack();
  });
  await test.step("a response that was cut off, filtered or empty says so", async () => {
    const reply = (content: string, finish_reason: string) => ({
      contentType: "text/event-stream",
      body: `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })}\n\ndata: [DONE]\n\n`,
    });
    for (const [content, reason, shown] of [
      ["The first half", "length", "The response was cut off at the maximum output tokens."],
      ["", "content_filter", "The provider's content filter ended the response."],
      ["", "stop", "The response is empty."],
    ] as const) {
      await page.route(completions, (route) => route.fulfill(reply(content, reason)));
      await page.getByRole("button", { name: "New chat" }).click();
      await say(page, "Hello");
      await page.getByText(shown).waitFor();
      await page.unroute(completions);
    }
  });
  await test.step("the last message is edited and sent again, and what was typed meanwhile is kept", async () => {
    const message = page.getByRole("textbox", { name: "Message" });
    await page.getByRole("button", { name: "New chat" }).click();
    await say(page, "Helo");
    await page.getByText(cost).waitFor();
    await message.fill("my next message");
    await page.getByRole("button", { name: "Edit the message" }).click();
    await expect(message).toHaveValue("Helo");
    await message.press("Escape");
    await expect(message).toHaveValue("my next message");
    await page.getByRole("button", { name: "Edit the message" }).click();
    await message.fill("Hello again");
    await page.getByRole("button", { name: "Send" }).click();
    await expect(message).toHaveValue("my next message");
    await page.getByText(cost).waitFor();
    await expect(page.getByRole("article")).toHaveCount(1);
    await expect(page.getByRole("article")).toContainText("Hello again");
  });
  await test.step("several models answer at once, and stop together", async () => {
    await page.getByRole("button", { name: "New chat" }).click();
    await chooseModel(page, "Model", "demo-think");
    const compare = page.getByRole("button", { name: "Compare", exact: true });
    await compare.click();
    await compare.click();
    await expect(compare).toHaveCount(0);
    await say(page, "hello [[chunk-delay=40]] [[length=4000]]");
    await page.getByText(partial).nth(2).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped").nth(2).waitFor();
    await page.getByRole("button", { name: "Regenerate" }).first().waitFor();
  });
});

test.describe("the public page of the playground", () => {
  test.use({ guest: true });

  test(
    "sends parameters and images, draws, and asks before another site gets a key",
    { tag: "@nightly" },
    async ({ page }) => {
      await test.step("a guest signs in first", async () => {
        await page.goto("/playground");
        await page.waitForURL("**/login?next=*");
        await page.getByLabel("Username").fill(rootUser.username);
        await page.getByRole("textbox", { name: "Password" }).fill(rootUser.password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.waitForURL("**/playground");
      });
      await test.step("the system prompt, the parameters and images are part of the request", async () => {
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
      await test.step("an image has a cost", async () => {
        await page.getByRole("button", { name: "New chat" }).click();
        await chooseModel(page, "Model", "demo-image");
        await say(page, "A red house");
        const picture = page.getByRole("img", { name: "Image from demo-image" });
        await picture.waitFor();
        await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);
        await page.getByText(/Cost \$0\.01/).waitFor();
      });
      await test.step("another site gets a key only after confirmation", async () => {
        await page.getByRole("button", { name: "Other clients" }).click();
        await page.getByRole("menuitem", { name: "ChatGPT Next" }).click();
        await page
          .getByText("This chat is hosted on another site, app.nextchat.dev.", { exact: false })
          .waitFor();
        await expect(page.locator("iframe")).toHaveCount(0);
        const address = await page.getByRole("link", { name: "Open in a new tab" }).getAttribute("href");
        expect(address).toContain(encodeURIComponent(site.url));
        expect(address).toMatch(/sk-\w{40}/);
        await page.getByRole("button", { name: "Back to the chat" }).click();
        await expect(page.getByRole("button", { name: "New chat" })).toBeVisible();
      });
    },
  );
});
