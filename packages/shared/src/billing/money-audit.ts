import { z } from "zod";
import { Points, UnixTime } from "#paging.ts";

/** A balance that is not what the books say. Points, or calls under way. */
export const AuditDifference = z.object({
  what: z.string(),
  /** Of the user or the token. */
  id: z.int(),
  expected: z.string(),
  actual: z.string(),
});

/** One recomputation of every balance: GET and POST /api/analytics/audit. */
export const AuditRun = z.object({
  id: z.int(),
  created_time: UnixTime,
  /** Users and tokens looked at. */
  checked: z.int(),
  /** All differences together; 0 when the books are right. */
  drift: Points,
  detail: z.array(AuditDifference),
});
export type AuditRun = z.infer<typeof AuditRun>;
