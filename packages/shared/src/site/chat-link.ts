/** Links to chat clients. Without the schema library, as tokens are shown without it. */
import type { ChatLinkEntry } from "#site/formats/chat-link-entry.ts";
import { isOpenable } from "#site/link-scheme.ts";
import { trimEndOf } from "#trim-end.ts";

const webSettings = '/#/?settings={"key":"{key}","url":"{server}"}';

/** Links that are shown until the operator configures a list. */
export const defaultChatLinks: readonly ChatLinkEntry[] = [
  { name: "ChatGPT Next", url: `https://app.nextchat.dev${webSettings}`, show: true, sort: 1 },
  {
    name: "chatgpt-web-midjourney-proxy",
    url: `https://vercel.ddaiai.com${webSettings}`,
    show: true,
    sort: 2,
  },
  { name: "AMA 问天", url: "ama://set-api-key?server={server}&key={key}", show: false, sort: 3 },
  { name: "OpenCat", url: "opencat://team/join?domain={server}&token={key}", show: false, sort: 4 },
];

/** Parses the operator's list and drops invalid entries. Returns undefined when the text is not a list. */
export function readChatLinks(text: string): ChatLinkEntry[] | undefined {
  let listed: unknown;
  try {
    listed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  return listed.map(readEntry).filter((entry) => entry !== undefined);
}

/** Reads an entry like `ChatLinkEntry`. Returns undefined when that would reject it. */
function readEntry(entry: unknown): ChatLinkEntry | undefined {
  if (entry === null || typeof entry !== "object" || Array.isArray(entry)) return undefined;
  const { name, url, show = false, sort = 0 } = entry as Record<keyof ChatLinkEntry, unknown>;
  if (typeof name !== "string" || typeof url !== "string" || typeof show !== "boolean") return undefined;
  const read = { name: name.trim(), url: url.trim(), show, sort: placeOf(sort) };
  const fits = read.name.length >= 1 && read.name.length <= 64 && read.url.length <= 1_000;
  return fits && isOpenable(read.url) ? read : undefined;
}

function placeOf(sort: unknown): number {
  const place = Number(sort);
  return Number.isInteger(place) && place >= 0 && place <= 100_000 ? place : 0;
}

/**
 * Returns the visible links, highest `sort` first.
 * @param text the site's JSON list; empty or invalid text means the defaults
 * @param nextChat the older single setting: address of the operator's own ChatGPT Next
 */
export function shownChatLinks(text: string, nextChat = ""): ChatLinkEntry[] {
  const entries = readChatLinks(text) ?? defaultChatLinks.map((entry) => placeNextChat(entry, nextChat));
  return entries.filter((entry) => entry.show).sort((a, b) => b.sort - a.sort);
}

function placeNextChat(entry: ChatLinkEntry, nextChat: string): ChatLinkEntry {
  if (nextChat === "" || entry.name !== "ChatGPT Next") return entry;
  return { ...entry, url: `${trimEndOf(nextChat, "/")}${webSettings}` };
}

/**
 * Fills in a link. Lists for keys without a prefix contain `sk-{key}`; keys here already include the prefix.
 */
export function fillChatLink(url: string, key: string, server: string): string {
  return url
    .replaceAll("sk-{key}", key)
    .replaceAll("{key}", key)
    .replaceAll("{server}", encodeURIComponent(server));
}
