/** Names with marks for right-to-left text. */
import type { Page } from "@playwright/test";
import type { Installation } from "../installation.ts";

/** Shown after it, the rest of a line would be read from right to left. */
const override = "\u202E";
const nameOf = (noun: string) => `${noun}${override}gnp`;

/**
 * Creates one object of each kind with such a name, beside those of `furnishScreens`.
 * @returns the addresses of the pages and dialogs that show only one object
 */
export async function addMarkedNames(site: Installation): Promise<string[]> {
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
  const { data } = await site.api<{ data: { id: string }[] }>("GET", "/audit?size=1");
  return [
    `channel/${channelId}`,
    `token/${token.id}`,
    `user/${user.id}`,
    `log/${answer.headers.get("x-request-id")}`,
    "channel?edit=new",
    `token?edit=${token.id}`,
    `user?user=${user.id}`,
    `audit?entry=${data[0]?.id}`,
  ].map((path) => `/panel/${path}`);
}

/**
 * Returns how many texts of the page contain the mark, and those that share a line with another text without being isolated
 * from it.
 */
export function markedNamesOn(page: Page): Promise<{ names: number; loose: string[] }> {
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
