import { Readable } from "node:stream";
import type pg from "pg";
import { GatewayError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import { type BackupConnection, isTermination, openBackupConnection } from "./backup-connection.ts";
import { encodeFile } from "./backup-file.ts";
import { expiredBackups, type Retention } from "./retention.ts";
import { backupName, listBackups } from "./stored-backups.ts";
import { verifyBackup } from "./verify-backup.ts";
import { writeDump } from "./write-dump.ts";

export interface BackupOptions {
  /** The database. */
  url: string;
  /** Version of this gateway. */
  version: string;
  storage: ObjectStorage;
  /** Encrypts the backup; undefined = not encrypted. */
  passphrase: string | undefined;
  /** Deletes old backups after a successful one; undefined keeps all. */
  retention?: Retention | undefined;
  /** Ends the backup. */
  signal?: AbortSignal;
  /** Time without a byte after which the backup is given up, in milliseconds. */
  stalledMs?: number;
  /** Called when it is certain that no other backup runs. */
  onBegin?: (() => void) | undefined;
  onTable?(table: string, rows: number): void;
}

export interface BackupReport {
  name: string;
  place: string;
  /** Size of the stored file. */
  bytes: number;
  tables: number;
  rows: number;
  isEncrypted: boolean;
  /** Names of deleted old backups. */
  removed: string[];
}

/**
 * Writes a backup, reads it back to check it, and then deletes old ones. Only one runs at a time in a database. Calls
 * continue meanwhile. On failure nothing is stored, and no old backup is deleted. Rejects with the errors of
 * `errors/backups.ts`.
 */
export async function createBackup(options: BackupOptions): Promise<BackupReport> {
  const { storage, passphrase, retention } = options;
  const name = backupName(currentTime(), passphrase !== undefined);
  const connection = await openBackupConnection(options.url);
  try {
    await requireOnly(connection.client);
    options.onBegin?.();
    const bytes = await store(name, connection, options);
    const { trailer } = await verifyBackup(storage, name, passphrase);
    const removed =
      retention === undefined ? [] : expiredBackups(await listBackups(storage), retention, currentTime());
    for (const old of removed) await storage.remove(old);
    return {
      name,
      place: storage.place,
      bytes,
      tables: trailer.tables.length,
      rows: trailer.tables.reduce((sum, { rows }) => sum + rows, 0),
      isEncrypted: passphrase !== undefined,
      removed,
    };
  } finally {
    connection.close();
  }
}

async function store(name: string, connection: BackupConnection, options: BackupOptions): Promise<number> {
  const { storage, passphrase, signal, stalledMs = 10 * 60_000 } = options;
  const watch = watchProgress(stalledMs);
  const ends = AbortSignal.any([watch.signal, ...(signal === undefined ? [] : [signal])]);
  ends.addEventListener("abort", connection.close);
  try {
    const file = await encodeFile(watch.follow(writeDump(connection.client, options)), passphrase);
    const content = Readable.from(watch.follow(file as AsyncIterable<Buffer>), { objectMode: false });
    return await storage.write(name, content, ends);
  } catch (error) {
    if (watch.signal.aborted) throw watch.signal.reason;
    const isInterrupted = isTermination(error) || connection.isTerminated();
    throw isInterrupted ? new GatewayError("conflict", { reason: "backup_interrupted" }) : error;
  } finally {
    watch.end();
    ends.removeEventListener("abort", connection.close);
  }
}

/** The lock is released with the connection. A migration ends the session that has it. */
async function requireOnly(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [
    advisoryLocks.writeBackup,
  ]);
  if (rows[0]?.locked !== true) throw new GatewayError("conflict", { reason: "backup_running" });
}

/** Aborts its signal when neither the database nor the storage has moved for some time. */
function watchProgress(stalledMs: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(
      new Error(`The backup was given up: nothing moved for ${Math.round(stalledMs / 60_000)} minutes.`),
    );
  }, stalledMs).unref();
  return {
    signal: controller.signal,
    async *follow(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        timer.refresh();
        yield chunk;
      }
    },
    end: () => clearTimeout(timer),
  };
}
