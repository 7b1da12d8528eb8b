/** The forms of text that settings can have. */
import { z } from "zod";
import { because } from "#errors/issue.ts";
import { phrasesOf } from "#phrase-list.ts";
import { domainsOf, Email } from "#site/mail.ts";
import { EventList, noticeEvents } from "#site/notice.ts";
import { ChatLinkEntry } from "./chat-link-entry.ts";
import { homeBlocksOf } from "./home-blocks.ts";

/** "", or a web address. */
export const webAddress = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .regex(/^(https?:\/\/[^\s/]\S*)?$/i, because("http_address"));

/** The list of chat clients as the older API sends it: JSON in a string. */
export const chatLinkList = z
  .string()
  .max(20_000)
  .superRefine((text, context) => {
    const problem = text.trim() === "" ? undefined : problemOfChatLinks(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

function problemOfChatLinks(text: string): string | undefined {
  try {
    return z.array(ChatLinkEntry).max(50).safeParse(JSON.parse(text)).error?.issues[0]?.message;
  } catch {
    return because("json_text");
  }
}

export const domainList = z
  .string()
  .trim()
  .max(5_000)
  .refine((list) => domainsOf(list).every((domain) => z.hostname().safeParse(domain).success), {
    error: because("domain_list"),
  });

/** One phrase per line. A phrase of one letter would match every sentence. */
export const phraseList = z
  .string()
  .max(20_000)
  .refine((list) => phrasesOf(list).every((phrase) => phrase.length > 1), {
    error: because("phrase_too_short"),
  });

/** Comma-separated email addresses. */
export const addressList = z
  .string()
  .trim()
  .max(1_000)
  .refine((list) => list === "" || list.split(",").every((email) => Email.safeParse(email).success), {
    error: because("email_list"),
  });

/** Comma-separated parts of the home page; "" is none. */
export const homeBlockList = z
  .string()
  .trim()
  .max(200)
  .refine((list) => list === "" || homeBlocksOf(list).length === list.split(",").length, {
    error: because("home_blocks"),
  });

/** Events of a notification channel. By default all of them. */
export const noticeEventList = EventList.default(noticeEvents.join(","));
