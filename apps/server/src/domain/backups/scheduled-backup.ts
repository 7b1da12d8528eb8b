import { join } from "node:path";
import type { Settings } from "@gateway/shared/site/settings";
import { currentTime } from "#platform/clock.ts";
import { openStorage } from "#platform/storage/open-storage.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import type { BackupReport } from "./create-backup.ts";
import { listBackups } from "./stored-backups.ts";

/** What scheduled backups need to know about the installation. */
export interface BackupSource {
  /** The database. */
  url: string;
  /** Version of this gateway. */
  version: string;
  /** DATA_DIR: backups in a folder are in its folder `backups`. */
  dataDir: string;
}

const hourMs = 3_600_000;
/** The job runs a little later or earlier than an exact number of hours after the last backup. */
const toleranceMs = 300_000;

/**
 * Writes a backup when the newest one in its place is old enough, by the settings `Backup…`. Returns undefined when
 * nothing is due. Rejects like `createBackup`.
 * @param signal ends the backup
 */
export async function backupIfDue(
  source: BackupSource,
  settings: Settings,
  signal: AbortSignal,
): Promise<BackupReport | undefined> {
  if (!settings.BackupEnabled) return undefined;
  const [newest] = await listBackups(openBackupStorage(settings, source.dataDir));
  const age = currentTime().getTime() - (newest?.createdAt.getTime() ?? 0);
  if (age < settings.BackupHours * hourMs - toleranceMs) return undefined;
  return backupNow(source, settings, signal);
}

/** Writes a backup to its place, by the settings `Backup…`. Rejects like `createBackup`. */
export async function backupNow(
  source: BackupSource,
  settings: Settings,
  signal: AbortSignal,
  onBegin?: () => void,
): Promise<BackupReport> {
  // Encryption and COPY are loaded when there is something to write.
  const { createBackup } = await import("./create-backup.ts");
  return createBackup({
    url: source.url,
    version: source.version,
    storage: openBackupStorage(settings, source.dataDir),
    passphrase: settings.BackupPassphrase || undefined,
    retention: { keepLast: settings.BackupKeepLast, keepDays: settings.BackupKeepDays },
    signal,
    onBegin,
  });
}

/** Opens the place of scheduled backups. */
export function openBackupStorage(settings: Settings, dataDir: string): ObjectStorage {
  if (settings.BackupPlace === "folder") return openStorage({ folder: join(dataDir, "backups") });
  return openStorage({
    endpoint: settings.BackupS3Endpoint,
    region: settings.BackupS3Region,
    bucket: settings.BackupS3Bucket,
    prefix: settings.BackupS3Prefix,
    accessKeyId: settings.BackupS3AccessKey,
    secretAccessKey: settings.BackupS3SecretKey,
  });
}
