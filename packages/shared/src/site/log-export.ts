import { z } from "zod";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** An hour of the request log whose files are stored. */
const ExportedHour = z.object({
  /** Begin of the hour. */
  hour: UnixTime,
  rows: z.int(),
  files: z.int(),
  bytes: z.int(),
  exported_at: UnixTime,
});

/** Response of GET /api/option/log-export. */
export const LogExportStatus = z.object({
  /** A folder, or s3://bucket/prefix; "" while the settings of the place are incomplete. */
  place: z.string(),
  is_running: z.boolean(),
  /** Every hour before it is exported; null before the first run. */
  exported_until: UnixTime.nullable(),
  /** Since the end of the last exported hour; null while the export is off. */
  lag_seconds: z.int().nullable(),
  /** Failed runs since the last successful one. */
  failures: z.int(),
  failed_at: UnixTime.nullable(),
  /** When a failed export is tried again. */
  retry_at: UnixTime.nullable(),
  /** Why the last run failed, in English; "" after a successful one. */
  reason: z.string(),
  reason_facts: ReasonFacts,
  /** The last 24 exported hours, newest first. */
  hours: z.array(ExportedHour),
});
export type LogExportStatus = z.infer<typeof LogExportStatus>;
