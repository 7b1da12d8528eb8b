import { z } from "zod";
import type { AdminArea } from "#accounts/roles.ts";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import type { inboxKinds } from "./inbox-kinds.ts";

/**
 * Events that the gateway notifies its operators about, with their kind in the inbox and the area that administrators
 * must be allowed to view there.
 */
export const operatorEvents = {
  "channel-disabled": { kind: "channels", area: "channels" },
  "channel-enabled": { kind: "channels", area: "channels" },
  "key-unavailable": { kind: "channels", area: "channels" },
  "job-failed": { kind: "system", area: "settings" },
  "prices-failed": { kind: "prices", area: "prices" },
  "models-unpriced": { kind: "prices", area: "prices" },
  "models-changed": { kind: "channels", area: "channels" },
  "payment-trouble": { kind: "billing", area: "payments" },
  "storage-full": { kind: "system", area: "settings" },
  "replica-unused": { kind: "system", area: "settings" },
  "telemetry-refused": { kind: "system", area: "settings" },
  "scim-refused": { kind: "system", area: "settings" },
  "budget-reached": { kind: "billing", area: "users" },
} as const satisfies Record<string, { kind: (typeof inboxKinds)[number]; area: AdminArea }>;

const eventNames = Object.keys(operatorEvents) as [keyof typeof operatorEvents];
export const NoticeEvent = z.enum(eventNames);
export type NoticeEvent = z.infer<typeof NoticeEvent>;
export const noticeEvents: readonly NoticeEvent[] = NoticeEvent.options;

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

/** Comma-separated events, as stored in a setting; "" is none. */
export const EventList = z
  .string()
  .trim()
  .max(300)
  .refine((text) => eventsOf(text, false).every((event) => NoticeEvent.safeParse(event).success), {
    error: because("event_unknown"),
  });

/** Returns the events that this version knows, or all names when `known` is false. */
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

/** A row of GET /api/option/notice: recent notifications and their deliveries. */
export const NoticeRow = z.object({
  id: z.int(),
  created_time: UnixTime,
  event: z.string(),
  title: z.string(),
  text: z.string(),
  /** Number of repetitions within the quiet time. */
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
