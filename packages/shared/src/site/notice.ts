import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";

/** What the gateway tells its operators about without being asked. */
export const NoticeEvent = z.enum([
  "channel-disabled",
  "channel-enabled",
  "job-failed",
  "prices-failed",
  "models-unpriced",
  "payment-trouble",
  "storage-full",
  "budget-reached",
]);
export type NoticeEvent = z.infer<typeof NoticeEvent>;
export const noticeEvents: readonly NoticeEvent[] = NoticeEvent.options;

/** Where it can tell them. */
export const NoticeChannelId = z.enum([
  "email",
  "telegram",
  "lark",
  "dingtalk",
  "wecom",
  "pushdeer",
  "webhook",
]);
export type NoticeChannelId = z.infer<typeof NoticeChannelId>;

/** Events with commas between them, as a setting holds them; "" is none. */
export const EventList = z
  .string()
  .trim()
  .max(300)
  .refine((text) => eventsOf(text, false).every((event) => NoticeEvent.safeParse(event).success), {
    error: because("event_unknown"),
  });

/** Those that this version knows; with `known` false, everything that is named. */
export function eventsOf(text: string, known?: true): NoticeEvent[];
export function eventsOf(text: string, known: false): string[];
export function eventsOf(text: string, known = true): string[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return known ? names.filter((name) => NoticeEvent.safeParse(name).success) : names;
}

/** POST /api/option/notice/test. */
export const NoticeTest = z.object({ channel: NoticeChannelId });

/** GET /api/option/notice: what was told lately, and how that went. */
export const NoticeRow = z.object({
  id: z.int(),
  created_time: UnixTime,
  event: z.string(),
  title: z.string(),
  text: z.string(),
  /** How often it happened again within the quiet time. */
  repeats: z.int(),
  deliveries: z.array(
    z.object({
      channel: z.string(),
      status: z.enum(["pending", "sent", "failed"]),
      error: z.string(),
    }),
  ),
});
export type NoticeRow = z.infer<typeof NoticeRow>;
