/** Links that hand a key to a chat client. Pure. */
import { z } from "zod";

export type ChatLink = { name: string; url: string };

const Entry = z.object({
  name: z.string().min(1),
  url: z.string().min(1),
  show: z.boolean().default(false),
  sort: z.coerce.number().catch(0).default(0),
});
type Entry = z.infer<typeof Entry>;

const webSettings = '/#/?settings={"key":"{key}","url":"{server}"}';

/** What is offered while the operator has listed nothing. */
const defaults: Entry[] = [
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

function listed(chatLinks: string): Entry[] {
  try {
    const parsed = z.array(Entry).safeParse(JSON.parse(chatLinks));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

/**
 * The links to show, highest `sort` first.
 * @param chatLinks the site's JSON list; empty or broken means the defaults
 * @param chatLink the older single setting: where the operator's own ChatGPT Next runs
 */
export function chatLinksOf(chatLinks: string, chatLink = ""): ChatLink[] {
  const own = listed(chatLinks);
  const entries = own.length > 0 ? own : defaults.map((entry) => replaceNext(entry, chatLink));
  return entries
    .filter((entry) => entry.show && isSafe(entry.url))
    .sort((a, b) => b.sort - a.sort)
    .map(({ name, url }) => ({ name, url }));
}

function replaceNext(entry: Entry, chatLink: string): Entry {
  if (chatLink === "" || entry.name !== "ChatGPT Next") return entry;
  return { ...entry, url: `${chatLink.replace(/\/+$/, "")}${webSettings}` };
}

/** Clients have schemes of their own; the ones that run code here are refused. */
function isSafe(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript|file|blob):/i.test(url);
}

/** Lists written for keys without their prefix say `sk-{key}`; ours has it already. */
export function fillChatLink(url: string, key: string, server: string): string {
  return url
    .replaceAll("sk-{key}", key)
    .replaceAll("{key}", key)
    .replaceAll("{server}", encodeURIComponent(server));
}
