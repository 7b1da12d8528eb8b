import { z } from "zod";
import { Points, UnixTime } from "#paging.ts";

/** A stored balance that differs from the ledger. In points, or in concurrent calls. */
export const AuditDifference = z.object({
  what: z.string(),
  /** Id of the user or the token. */
  id: z.int(),
  expected: z.string(),
  actual: z.string(),
});

/** One recomputation of every balance: GET and POST /api/analytics/audit. */
export const AuditRun = z.object({
  id: z.int(),
  created_time: UnixTime,
  /** Number of users and tokens that were checked. */
  checked: z.int(),
  /** Sum of all differences; 0 when the ledger is consistent. */
  drift: Points,
  detail: z.array(AuditDifference),
});
export type AuditRun = z.infer<typeof AuditRun>;
