import { openBackupConnection } from "./backup-connection.ts";
import { restoreDump, type RestoreOptions, type RestoreReport } from "./restore-dump.ts";
import { writeDump } from "./write-dump.ts";

/**
 * Copies a database that no gateway uses into another one, like a backup that is restored at once. Rejects like
 * `restoreDump`; the target is then unchanged. The source is only read.
 * @param from address of the source
 * @param version of this gateway
 */
export async function moveDatabase(
  from: string,
  version: string,
  options: Omit<RestoreOptions, "file">,
): Promise<RestoreReport> {
  const source = await openBackupConnection(from);
  try {
    return await restoreDump(writeDump(source.client, { version }), { ...options, file: "The copy" });
  } finally {
    source.close();
  }
}
