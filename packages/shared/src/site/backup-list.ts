import { z } from "zod";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

const StoredBackup = z.object({
  name: z.string(),
  bytes: z.int(),
  created_at: UnixTime,
  is_encrypted: z.boolean(),
  /** Version of the gateway that wrote it; null for a backup that this installation has not written. */
  version: z.string().nullable(),
  /** When it was read back and its content compared; null like `version`. */
  verified_at: UnixTime.nullable(),
});

/** How far a running backup is. */
const BackupProgress = z.object({
  /** Everything is written, and is read back to check it. */
  is_checking: z.boolean(),
  /** Written share of the database, from 0 to 1; null between two tables. */
  share: z.number().nullable(),
});
export type BackupProgress = z.infer<typeof BackupProgress>;

/** Response of GET /api/option/backups: the backups in the place of the settings. */
export const BackupList = z.object({
  /** A folder, or s3://bucket/prefix. */
  place: z.string(),
  /** Number of backups; the list has the newest 50. */
  total: z.int(),
  backups: z.array(StoredBackup),
  /** Null while no backup is written, on any node. */
  progress: BackupProgress.nullable(),
  /** Why the last backup failed, when none was stored since; the reason is in English. */
  failure: z.object({ time: UnixTime, reason: z.string(), reason_facts: ReasonFacts }).nullable(),
});
export type BackupList = z.infer<typeof BackupList>;
