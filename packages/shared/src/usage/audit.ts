import { z } from "zod";
import { because } from "#errors/issue.ts";
import { PageQuery, UnixTime, queryInt } from "#paging.ts";

/** Who did what in the console. Secrets are masked before they are stored. */
export const AuditRow = z.object({
  id: z.string(),
  created_time: UnixTime,
  /** Null for the server process. */
  user_id: z.int().nullable(),
  username: z.string(),
  /** Subject and verb: `channel.create`. */
  action: z.string(),
  target_type: z.string(),
  target_id: z.string(),
  /** Current name of the target; of a deleted one, the recorded name. "" when the id is a name. */
  target_name: z.string(),
  /** Null when there was no value, or no recorded field changed. */
  before: z.unknown(),
  after: z.unknown(),
  ip: z.string(),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** Sort orders of the list. */
export const auditOrders = ["created_time", "action", "target_id", "username", "ip"] as const;

/** A keyset page. Send `next` as `cursor` to get the next page in the same order; null at the end. */
export const AuditPage = z.object({ data: z.array(AuditRow), next: z.string().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;

export const AuditQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{0,18}$/, because("cursor_format"))
    .default(""),
  size: PageQuery.shape.size,
  /** One of `auditOrders`, with `-` for descending; newest first when empty. */
  order: PageQuery.shape.order,
  /** Prefix of a user name. */
  username: z.string().trim().max(64).default(""),
  /** Prefix of an action: `channel` also matches `channel.create`. */
  action: z.string().trim().max(64).default(""),
  target_type: z.string().trim().max(32).default(""),
  target_id: z.string().trim().max(128).default(""),
  start_timestamp: queryInt(z.int().min(0)).catch(0).default(0),
  end_timestamp: queryInt(z.int().min(0)).catch(0).default(0),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
