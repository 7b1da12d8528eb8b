import { z } from "zod";
import type { AdminArea } from "#accounts/roles.ts";
import { PageQuery, queryInt, UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";
import { inboxKinds } from "#site/inbox-kinds.ts";
import { operatorEvents } from "./notice.ts";
export { inboxKinds } from "#site/inbox-kinds.ts";

/**
 * Entries of a user's inbox. They contain facts only; the console builds the text in the reader's language.
 */

/** Events of the site, for administrators who may view the given area. */
export const siteEvents = {
  ...operatorEvents,
  "channel-paused": { kind: "channels", area: "channels" },
  "key-disabled": { kind: "channels", area: "channels" },
  "notice-undelivered": { kind: "system", area: "settings" },
} as const satisfies Record<string, { kind: InboxKind; area: AdminArea }>;

/** Events of an account, for its owner. */
export const ownEvents = {
  "balance-low": { kind: "billing" },
  "budget-notice": { kind: "billing" },
  "calls-refused": { kind: "calls" },
  "payment-received": { kind: "billing" },
  "payment-refunded": { kind: "billing" },
  "payment-problem": { kind: "billing" },
  "new-sign-in": { kind: "security" },
  "password-changed": { kind: "security" },
  "second-factor-on": { kind: "security" },
  "second-factor-off": { kind: "security" },
  "recovery-codes-renewed": { kind: "security" },
  "passkey-added": { kind: "security" },
  "passkey-removed": { kind: "security" },
  "access-token-created": { kind: "security" },
  "email-changed": { kind: "security" },
  "sign-in-linked": { kind: "security" },
  "sign-in-unlinked": { kind: "security" },
} as const satisfies Record<string, { kind: InboxKind }>;

export const InboxKind = z.enum(inboxKinds);
export type InboxKind = z.infer<typeof InboxKind>;

export type SiteEvent = keyof typeof siteEvents;
export type OwnEvent = keyof typeof ownEvents;
export type InboxEvent = SiteEvent | OwnEvent;

const names = [...Object.keys(siteEvents), ...Object.keys(ownEvents)] as [InboxEvent, ...InboxEvent[]];
export const InboxEvent = z.enum(names);

export function kindOf(event: InboxEvent): InboxKind {
  return { ...siteEvents, ...ownEvents }[event].kind;
}

export const InboxRow = z.object({
  id: z.int(),
  event: InboxEvent,
  kind: InboxKind,
  /** Values of the text: ids, names, points, addresses. */
  facts: z.record(z.string(), z.string()),
  /** The stored English text; "" for none. */
  reason: z.string(),
  reason_facts: ReasonFacts,
  /** Number of occurrences on its day (UTC). */
  count: z.int(),
  created_time: UnixTime,
  /** Time of the last occurrence. */
  last_time: UnixTime,
  read: z.boolean(),
});
export type InboxRow = z.infer<typeof InboxRow>;

/** Query of GET /api/inbox, newest first. */
export const InboxQuery = z.object({
  page: PageQuery.shape.page,
  size: queryInt(z.int().min(1).max(100)).default(30),
  /** 1 = unread entries only. */
  unread: queryInt(z.int().min(0).max(1)).catch(0).default(0),
  /** "" = every kind. */
  kind: z
    .enum(["", ...InboxKind.options])
    .catch("")
    .default(""),
});
export type InboxQuery = z.infer<typeof InboxQuery>;

/** Maximum number of unread entries that are counted. */
export const MOST_UNREAD = 100;

/** Response of GET /api/inbox/unread and of marking entries as read. */
export const InboxState = z.object({
  /** At most 100. */
  unread: z.int(),
  /**
   * Time of the latest event in milliseconds since 1970; 0 without one. Entries up to it can be marked as
   * read.
   */
  newest: z.int(),
});
export type InboxState = z.infer<typeof InboxState>;

export const InboxPage = z.object({
  data: z.array(InboxRow),
  page: z.int(),
  size: z.int(),
  total_count: z.int(),
  /** Kinds of this reader's entries. */
  kinds: z.array(InboxKind),
});
export type InboxPage = z.infer<typeof InboxPage>;

/** Body of POST /api/inbox/read: marks everything up to the latest event that the reader has seen. */
export const InboxReadInput = z.object({ until: z.int().min(0).max(8_640_000_000_000_000) });
