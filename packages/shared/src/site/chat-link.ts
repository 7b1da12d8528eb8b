import { z } from "zod";
import { because } from "#errors/issue.ts";

/** A chat client that opens with an API key. `{key}` and `{server}` in its address are replaced. */
export const ChatLinkEntry = z.object({
  name: z.string().trim().min(1, because("name_required")).max(64),
  url: z
    .string()
    .trim()
    .max(1000)
    // Clients use custom URL schemes. Schemes that run code in the console are rejected.
    .refine(isOpenable, because("link_scheme")),
  show: z.boolean().default(false),
  /** Highest first. */
  sort: z.coerce.number<unknown>().int().min(0).max(100_000).catch(0).default(0),
});
export type ChatLinkEntry = z.infer<typeof ChatLinkEntry>;

export function isOpenable(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript|file|blob):/i.test(url);
}

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
  return listed.map((entry) => ChatLinkEntry.safeParse(entry).data).filter((entry) => entry !== undefined);
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
  return { ...entry, url: `${nextChat.replace(/\/+$/, "")}${webSettings}` };
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
