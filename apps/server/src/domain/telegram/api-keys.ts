/** The list of a user's own API keys, in pages with buttons. */
import { escapeHtml } from "@gateway/shared/escape-html";
import {
  defaultChatLinks,
  fillChatLink,
  readChatLinks,
  shownChatLinks,
} from "@gateway/shared/site/chat-link";
import type { ChatLinkEntry } from "@gateway/shared/site/formats/chat-link-entry";
import type { Settings } from "@gateway/shared/site/settings";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { revealKey } from "#domain/tokens/keys.ts";
import { listTokens, statusOf } from "#domain/tokens/tokens.ts";
import type { Token, User } from "#platform/prisma/client.ts";
import type { BotMessages } from "./bot-messages.ts";
import type { BotMessage, BotDeps } from "./bot.ts";
import { messagesFor } from "./messages-for.ts";

const KEYS_PER_PAGE = 5;
/** Telegram allows 64 bytes of button data. Six digits are enough for any list of keys. */
const BUTTON = /^apikey:(\d{1,6})$/;
const MOST_LINKS = 4;
/** The links of one page must fit in one message. */
const LONGEST_LINK = 400;
/**
 * URL schemes of apps that `/jump` of the web console opens. Telegram supports links to http addresses only.
 */
const appSchemes = /^(ama|opencat):/i;
/** Returns the page that a button requests, from 1; undefined if the button does not belong to this list. */
export function keysPageOf(data: string): number | undefined {
  const [, page] = BUTTON.exec(data) ?? [];
  return page === undefined ? undefined : Number(page);
}

/** Returns one page of the keys, newest first. A page after the last returns the last page. */
export async function keysPage(deps: BotDeps, user: User, wanted: number): Promise<BotMessage> {
  const messages = messagesFor(deps, user);
  const first = await pageOf(deps, user, 1);
  const pages = Math.max(1, Math.ceil(first.total / KEYS_PER_PAGE));
  const page = Math.min(Math.max(1, wanted), pages);
  const { rows } = page === 1 ? first : await pageOf(deps, user, page);
  if (rows.length === 0) return { text: messages.noKeys };
  const text = [messages.keys(page, pages), ...rows.map((token) => keyText(deps, messages, token))].join(
    "\n\n",
  );
  return { text, mode: "HTML", ...(pages === 1 ? {} : { markup: pager(messages, page, pages) }) };
}

function pageOf({ db }: BotDeps, user: User, page: number) {
  return listTokens(db, user.id, {
    keyword: "",
    billing_tag: "",
    skip: (page - 1) * KEYS_PER_PAGE,
    take: KEYS_PER_PAGE,
    orderBy: [{ id: "desc" }],
  });
}

function keyText({ secrets, settings, root }: BotDeps, messages: BotMessages, token: Token): string {
  const key = revealKey(secrets, token);
  const state = messages.tokenStates[statusOf(token)];
  const lines = [`<b>${escapeHtml(token.name)}</b>${state === undefined ? "" : ` · ${state}`}`];
  lines.push(`<code>${escapeHtml(key)}</code>`);
  const site = publicUrlOf(settings.current(), root);
  const links = site === undefined ? [] : linksOf(settings.current(), key, site);
  if (links.length > 0) lines.push(links.join(" · "));
  return lines.join("\n");
}

function linksOf(settings: Settings, key: string, site: string): string[] {
  return appsOf(settings)
    .map(({ name, url }) => ({ name, url: openable(fillChatLink(url, key, site), site) }))
    .filter(({ url }) => url !== undefined && url.length <= LONGEST_LINK)
    .slice(0, MOST_LINKS)
    .map(({ name, url = "" }) => `<a href="${escapeHtml(url)}">${escapeHtml(name)}</a>`);
}

/**
 * Returns the configured apps. By default: those of the console, and the two apps that open only from a link.
 */
function appsOf({ ChatLinks, ChatLink }: Settings): ChatLinkEntry[] {
  const shown = shownChatLinks(ChatLinks, ChatLink);
  if (readChatLinks(ChatLinks) !== undefined) return shown;
  return [...shown, ...defaultChatLinks.filter(({ url }) => appSchemes.test(url))];
}

/** Returns undefined for addresses that neither Telegram nor the `/jump` page opens. */
function openable(url: string, site: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return undefined;
  if (parsed.protocol === "https:" || parsed.protocol === "http:") return parsed.href;
  return appSchemes.test(url) ? `${site}/jump?url=${encodeURIComponent(parsed.href)}` : undefined;
}

function pager(messages: BotMessages, page: number, pages: number): object {
  const button = (text: string, target: number) => ({ text, callback_data: `apikey:${target}` });
  const row = [
    ...(page > 1 ? [button(messages.previous, page - 1)] : []),
    ...(page < pages ? [button(messages.next, page + 1)] : []),
  ];
  return { inline_keyboard: [row] };
}
