import { z } from "zod";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** Response of GET /api/option/release-check: whether there is a newer version of the gateway. */
export const ReleaseCheckStatus = z.object({
  /** The version that answers. */
  version: z.string(),
  /** Null before the first check. */
  checked_at: UnixTime.nullable(),
  /** The latest release that a check has found; null before that. */
  release: z
    .object({
      version: z.string(),
      name: z.string(),
      /** Plain text. */
      notes: z.string(),
      /** Its page; "" when none was named. */
      url: z.string(),
      published_at: UnixTime.nullable(),
    })
    .nullable(),
  is_newer: z.boolean(),
  /** Why the last check failed, in English; "" after a successful one. */
  reason: z.string(),
  reason_facts: ReasonFacts,
});
export type ReleaseCheckStatus = z.infer<typeof ReleaseCheckStatus>;
