import type { ObjectStorage, StoredFile } from "#platform/storage/storage.ts";

export interface StoredBackup extends StoredFile {
  /** When the backup was begun, as its name states. */
  createdAt: Date;
}

/** Returns the complete backups of a place, newest first. */
export async function listBackups(storage: ObjectStorage): Promise<StoredBackup[]> {
  const files = await storage.list("");
  return files
    .flatMap(({ name, bytes }) => {
      const createdAt = timeOfName(name);
      return createdAt === undefined ? [] : [{ name, bytes, createdAt }];
    })
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
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
