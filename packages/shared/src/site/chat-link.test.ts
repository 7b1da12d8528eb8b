import { describe, expect, it } from "vitest";
import { fillChatLink, readChatLinks, shownChatLinks } from "./chat-link.ts";
import { ChatLinkEntry } from "./formats/chat-link-entry.ts";

describe("chat links", () => {
  it("returns the two default clients by descending sort when nothing is configured", () => {
    expect(shownChatLinks("").map((link) => link.name)).toEqual([
      "chatgpt-web-midjourney-proxy",
      "ChatGPT Next",
    ]);
  });

  it("falls back to the defaults when the setting is not a list", () => {
    expect(shownChatLinks("{broken")).toHaveLength(2);
    expect(shownChatLinks('{"name":"x"}')).toHaveLength(2);
  });

  it("returns the operator's list without hidden entries", () => {
    const list = JSON.stringify([
      { name: "Low", url: "https://low.example/{key}", show: true },
      { name: "Hidden", url: "https://hidden.example/{key}", show: false, sort: 9 },
      { name: "High", url: "app://{key}", show: true, sort: 2 },
    ]);
    expect(shownChatLinks(list).map((link) => link.name)).toEqual(["High", "Low"]);
  });

  it("rejects links that would run code in the console", () => {
    const list = JSON.stringify([{ name: "Bad", url: "javascript:alert('{key}')", show: true }]);
    expect(shownChatLinks(list)).toEqual([]);
  });

  it("uses the older single setting as the address of ChatGPT Next", () => {
    const links = shownChatLinks("", "https://chat.example/");
    expect(links.at(-1)?.url).toMatch(/^https:\/\/chat\.example\/#\//);
  });

  it("fills in key and address without doubling the prefix of the key", () => {
    expect(fillChatLink("app://a?k={key}&s={server}", "sk-abc", "https://my.site")).toBe(
      "app://a?k=sk-abc&s=https%3A%2F%2Fmy.site",
    );
    expect(fillChatLink("app://a?k=sk-{key}", "sk-abc", "https://my.site")).toBe("app://a?k=sk-abc");
  });

  it("reads an entry like the schema", () => {
    const [name, url] = ["Chat", "https://chat.example"];
    const entries: unknown[] = [
      { name: " Chat ", url: ` ${url} ` },
      { name: "", url },
      { name: "n".repeat(64), url },
      { name: "n".repeat(65), url },
      { name, url: `https://${"u".repeat(992)}` },
      { name, url: `https://${"u".repeat(993)}` },
      { name, url: "no address" },
      { name, url: "data:text/html,x" },
      { name, url, show: "yes" },
      { name, url, show: null },
      ...["7", 7.5, -1, 100_001, "many", null, true, [3], {}].map((sort) => ({ name, url, sort })),
      { name: 5, url },
      { name },
      null,
      [],
      "text",
    ];
    for (const entry of entries)
      expect(readChatLinks(JSON.stringify([entry])), JSON.stringify(entry)).toEqual(
        [ChatLinkEntry.safeParse(entry).data].filter((read) => read !== undefined),
      );
  });
});
