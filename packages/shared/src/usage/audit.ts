import { z } from "zod";
import { because } from "#errors/issue.ts";
import { PageQuery, UnixTime, queryInt } from "#paging.ts";

/** Who did what in the console. Secrets are masked before they are written down. */
export const AuditRow = z.object({
  id: z.string(),
  created_time: UnixTime,
  /** Null for the process itself. */
  user_id: z.int().nullable(),
  username: z.string(),
  /** Noun and verb: `channel.create`. */
  action: z.string(),
  target_type: z.string(),
  target_id: z.string(),
  /** Null when there was nothing, or nothing that changed is written down. */
  before: z.unknown(),
  after: z.unknown(),
  ip: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** What the list can be sorted by. */
export const auditOrders = ["created_time", "action", "target_id", "username", "ip"] as const;

/** Keyset page: pass `next` as `cursor` to go on in the same order; null at the end. */
export const AuditPage = z.object({ data: z.array(AuditRow), next: z.string().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;

export const AuditQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{0,18}$/, because("cursor_format"))
    .default(""),
  size: PageQuery.shape.size,
  /** One of `auditOrders`, with `-` for falling; newest first when it is empty. */
  order: PageQuery.shape.order,
  /** The beginning of a name. */
  username: z.string().trim().max(64).default(""),
  /** The beginning of an action: `channel` finds `channel.create` too. */
  action: z.string().trim().max(64).default(""),
  target_type: z.string().trim().max(32).default(""),
  target_id: z.string().trim().max(128).default(""),
  start_timestamp: queryInt(z.int().min(0)).catch(0).default(0),
  end_timestamp: queryInt(z.int().min(0)).catch(0).default(0),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
