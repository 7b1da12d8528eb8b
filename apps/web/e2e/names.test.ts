/** Names with marks for right-to-left text, on every screen that shows one. */
import type { Page } from "@playwright/test";
import { consolePaths } from "./support/screen-list.ts";
import { expect, test, type Site } from "./support/test.ts";
import { startWalk } from "./support/walk.ts";

test.setTimeout(240_000);

/** Shown after it, the rest of a line would be read from right to left. */
const override = "\u202E";
const nameOf = (noun: string) => `${noun}${override}gnp`;

test("a name cannot reverse the text beside it on any screen", async ({ page, site }) => {
  const paths = await nameEverything(site);
  const { goTo } = await startWalk(page, site);
  const found: string[] = [];
  let shown = 0;
  for (const path of paths) {
    await goTo(path);
    const { loose, names } = await namesOn(page);
    shown += names;
    found.push(...loose.map((text) => `${path}: ${text}`));
  }
  expect(shown).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

/** Creates one object of each kind with a name. Returns the screens that show them. */
async function nameEverything(site: Site): Promise<string[]> {
  const channel = { type: 900, groups: ["default"], models: ["demo-chat"] };
  const { id: channelId } = await site.api<{ id: number }>("POST", "/channel", {
    ...channel,
    name: nameOf("channel"),
    tag: nameOf("tag"),
  });
  await site.api("POST", "/channel", {
    ...channel,
    name: nameOf("fails"),
    key: "demo-fail-500",
    priority: 9,
  });
  await site.api("POST", "/redemption", { name: nameOf("gift"), quota: 500_000, count: 1 });
  await site.api("POST", "/mcp_server", { name: "github", url: "https://mcp.example.com/mcp", price: 0.01 });
  const token = await site.api<{ id: number; key: string }>("POST", "/token", { name: nameOf("token") });
  const user = await site.api<{ id: number }>("POST", "/user", {
    username: "noa",
    display_name: nameOf("person"),
    password: "long enough",
    quota: 500_000,
  });
  const group = { ratio: 1, api_rate: 600, public: true, min: 0, max: 0 };
  await site.api("POST", "/user_group", { ...group, symbol: "night", name: nameOf("group") });
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token.key}`,
      "content-type": "application/json",
      "x-session-id": "session-1",
    },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
  const log = answer.headers.get("x-request-id") ?? "";
  return [
    ...consolePaths({ channel: String(channelId), token: String(token.id), user: String(user.id), log }),
    ...["channel?edit=new", `token?edit=${token.id}`, `user?user=${user.id}`, "audit?entry=3"].map(
      (path) => `/panel/${path}`,
    ),
  ];
}

/**
 * Returns how many texts of the page contain the mark, and those that share a line with another text without being isolated
 * from it.
 */
function namesOn(page: Page): Promise<{ names: number; loose: string[] }> {
  return page.evaluate((mark) => {
    const loose: string[] = [];
    let names = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? "";
      if (!text.includes(mark) || node.parentElement?.closest("script, style, pre, textarea")) continue;
      names += 1;
      // Isolated within its text.
      if (!text.replaceAll(/\u2068[^\u2069]*\u2069/g, "").includes(mark)) continue;
      let around = node.parentElement;
      while (around !== null && isPartOfLine(around)) around = around.parentElement;
      if (around?.textContent?.trim() !== text.trim()) loose.push(around?.outerHTML.slice(0, 200) ?? text);
    }
    return { names, loose };

    function isPartOfLine(element: Element): boolean {
      const { display, unicodeBidi } = getComputedStyle(element);
      // A text of a drawing is a line of its own.
      return display === "inline" && unicodeBidi === "normal" && element.tagName !== "text";
    }
  }, override);
}
