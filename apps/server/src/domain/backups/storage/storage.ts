import type { Readable } from "node:stream";

/** A place for backups. Its errors are `backup_storage_…`, `backup_missing` and `backup_too_large`. */
export interface BackupStorage {
  /** For messages; contains no secret. */
  place: string;
  /**
   * Stores a file. It appears under its name only when it is complete. Returns its size in bytes.
   * @param signal ends the writing; nothing is stored
   */
  write(name: string, content: Readable, signal: AbortSignal): Promise<number>;
  read(name: string): Promise<Readable>;
  /** Complete backups, newest first. */
  list(): Promise<StoredBackup[]>;
  remove(name: string): Promise<void>;
}

export interface StoredBackup {
  name: string;
  /** Size in bytes. */
  bytes: number;
  /** When the backup was begun, as its name states. */
  createdAt: Date;
}

/** Returns the name of a backup that begins now: `gateway-20261128T171500Z.gz`, with `.age` when encrypted. */
export function backupName(now: Date, isEncrypted: boolean): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  return `gateway-${time}.gz${isEncrypted ? ".age" : ""}`;
}

/** Returns when a backup was begun; undefined for the name of another file. */
export function timeOfName(name: string): Date | undefined {
  const parts = /^gateway-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.gz(\.age)?$/.exec(name);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Returns the backups among some files, newest first. */
export function backupsAmong(files: readonly { name: string; bytes: number }[]): StoredBackup[] {
  return files
    .flatMap(({ name, bytes }) => {
      const createdAt = timeOfName(name);
      return createdAt === undefined ? [] : [{ name, bytes, createdAt }];
    })
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}
