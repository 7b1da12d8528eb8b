import type { ObjectStorage } from "#platform/storage/storage.ts";
import { decodeFile } from "./backup-file.ts";
import { countingConsumer, type DumpContent, readDump } from "./read-dump.ts";

/**
 * Reads a stored backup to its end: decrypts and decompresses it, and compares the rows and the checksum of each table
 * with what was written. Rejects when it could not be restored from.
 */
export async function verifyBackup(
  storage: ObjectStorage,
  name: string,
  passphrase: string | undefined,
): Promise<DumpContent> {
  return readDump(await decodeFile(await storage.read(name), name, passphrase), name, countingConsumer);
}
