import { plainReason, type Reason } from "@gateway/shared/reasons";
import type { Settings } from "@gateway/shared/site/settings";
import { GatewayError, reasonOfError } from "#errors.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { recordBackup } from "./backup-records.ts";
import { backupNow, type BackupSource } from "./scheduled-backup.ts";

export interface ManualBackup {
  /** Starts a backup, and returns when it has begun. Throws `backup_running`, also when another node writes one. */
  start(): Promise<void>;
  /** Ends a backup that `start` has started. */
  close(): Promise<void>;
}

export interface ManualBackupDeps {
  db: PrismaClient;
  source: BackupSource;
  settings(): Settings;
  /** Notifies administrators of a backup that failed after its begin. */
  reportFailure(reason: Reason): Promise<void>;
  onError(error: unknown): void;
}

/** A backup that an administrator starts. */
export function createManualBackup(deps: ManualBackupDeps): ManualBackup {
  const { db, source, settings, onError } = deps;
  const closing = new AbortController();
  let started: Promise<void> | undefined;

  async function run(begin: () => void): Promise<void> {
    let hasBegun = false;
    const onBegin = () => {
      hasBegun = true;
      begin();
    };
    try {
      const written = await backupNow(source, settings(), closing.signal, onBegin);
      await recordBackup(db, written, source.version);
    } catch (error) {
      if (!hasBegun) throw error;
      if (!closing.signal.aborted) await report(error);
    }
  }

  async function report(error: unknown): Promise<void> {
    onError(error);
    const text = error instanceof Error ? error.message : String(error);
    const reason = error instanceof GatewayError ? reasonOfError(error) : plainReason(text);
    await deps.reportFailure(reason).catch(onError);
  }

  return {
    async start() {
      if (started !== undefined) throw new GatewayError("conflict", { reason: "backup_running" });
      const begun = Promise.withResolvers<void>();
      started = run(begun.resolve).finally(() => {
        started = undefined;
      });
      await Promise.race([begun.promise, started]);
    },
    async close() {
      closing.abort();
      await started?.catch(onError);
    },
  };
}
