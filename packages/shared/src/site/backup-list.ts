import { z } from "zod";
import { UnixTime } from "#paging.ts";

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

/** Response of GET /api/option/backups: the backups in the place of the settings. */
export const BackupList = z.object({
  /** A folder, or s3://bucket/prefix. */
  place: z.string(),
  /** Number of backups; the list has the newest 50. */
  total: z.int(),
  backups: z.array(StoredBackup),
});
export type BackupList = z.infer<typeof BackupList>;
