/** The export of the request log on this node: when it runs, its state, and its failures. It never concerns calls. */
import { join } from "node:path";
import { plainReason, type Reason } from "@gateway/shared/reasons";
import type { LogExportStatus } from "@gateway/shared/site/log-export";
import type { Settings } from "@gateway/shared/site/settings";
import { GatewayError, reasonOfError } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { openStorage, type StorageOptions } from "#platform/storage/open-storage.ts";
import * as state from "./export-state.ts";
import { closedUntil } from "./hours.ts";
import { exportInThread } from "./run-thread.ts";

export interface LogExport {
  /** Exports hours that have ended, unless a failed attempt is too recent. Rejects with the failure, which is recorded. */
  exportIfDue(signal: AbortSignal): Promise<void>;
  /** Starts an export now, and returns. Throws `log_export_off` and `log_export_running`. */
  start(): Promise<void>;
  status(): Promise<LogExportStatus>;
  /** Seconds since the end of the last exported hour; undefined while the export is off. */
  lag(): Promise<number | undefined>;
  /** Whether the last run failed, on any node. */
  isFailing(): boolean;
  /** Loads what another node has recorded. */
  reload(): Promise<void>;
  /** Ends an export that `start` has started. */
  close(): Promise<void>;
}

export interface LogExportDeps {
  db: PrismaClient;
  pool: Pool;
  /** The database. */
  url: string;
  /** An export to a folder is in its folder `log-export`. */
  dataDir: string;
  settings(): Settings;
  onError(error: unknown): void;
}

/** Hours in the list of the console. */
const LISTED_HOURS = 24;

export function createLogExport(deps: LogExportDeps): LogExport {
  const { db, pool, url, settings } = deps;
  const closing = new AbortController();
  let started: Promise<void> | undefined;
  let failures = 0;

  async function run(signal: AbortSignal): Promise<void> {
    await state.beginExport(pool);
    try {
      const storage = exportStorage(settings(), deps.dataDir);
      await exportInThread({ url, storage, until: closedUntil() }, signal);
    } catch (error) {
      // The next run repeats the hour that a shutdown has interrupted, or another node is at it.
      if (signal.aborted || isRunningElsewhere(error)) return;
      await state.recordFailure(pool, reasonFor(error));
      await announce(db, "log-export");
      throw error;
    }
    await state.recordSuccess(pool);
    await announce(db, "log-export");
  }

  async function lag(): Promise<number | undefined> {
    if (!settings().LogExportEnabled) return undefined;
    const current = await state.readExportState(pool);
    return current && Math.max(0, (currentTime().getTime() - current.exportedUntil.getTime()) / 1_000);
  }

  return {
    lag,
    isFailing: () => settings().LogExportEnabled && failures > 0,
    async exportIfDue(signal) {
      if (!settings().LogExportEnabled) return;
      const current = await state.beginExport(pool);
      const retryAt = state.retryTime(current);
      if (current.exportedUntil >= closedUntil() && current.failures === 0) return;
      if (retryAt !== undefined && retryAt > currentTime()) return;
      await run(signal);
    },
    async start() {
      if (!settings().LogExportEnabled) throw new GatewayError("conflict", { reason: "log_export_off" });
      if (started !== undefined || (await state.isExporting(pool)))
        throw new GatewayError("conflict", { reason: "log_export_running" });
      started = run(closing.signal)
        .catch(deps.onError)
        .finally(() => {
          started = undefined;
        });
    },
    async status() {
      const [current, hours, isExporting, seconds] = await Promise.all([
        state.readExportState(pool),
        state.listExportedHours(pool, LISTED_HOURS),
        state.isExporting(pool),
        lag(),
      ]);
      return {
        place: placeOf(exportStorage(settings(), deps.dataDir)),
        is_running: isExporting || started !== undefined,
        exported_until: current === undefined ? null : unixTime(current.exportedUntil),
        lag_seconds: seconds === undefined ? null : Math.round(seconds),
        failures: current?.failures ?? 0,
        failed_at: current?.failedAt ? unixTime(current.failedAt) : null,
        retry_at: timeOrNull(current && state.retryTime(current)),
        reason: current?.reason ?? "",
        reason_facts: [...(current?.reasonFacts ?? [])],
        hours: hours.map(({ hour, rows, bytes, files, exportedAt }) => ({
          hour: unixTime(hour),
          rows: Number(rows),
          files,
          bytes: Number(bytes),
          exported_at: unixTime(exportedAt),
        })),
      };
    },
    async reload() {
      failures = (await state.readExportState(pool))?.failures ?? 0;
    },
    async close() {
      closing.abort();
      await started;
    },
  };
}

/** Returns where the log is exported to, by the settings `LogExport…`. */
export function exportStorage(settings: Settings, dataDir: string): StorageOptions {
  if (settings.LogExportPlace === "folder") return { folder: join(dataDir, "log-export") };
  return {
    endpoint: settings.LogExportS3Endpoint,
    region: settings.LogExportS3Region,
    bucket: settings.LogExportS3Bucket,
    prefix: settings.LogExportS3Prefix,
    accessKeyId: settings.LogExportS3AccessKey,
    secretAccessKey: settings.LogExportS3SecretKey,
  };
}

/** Returns the name of a place; "" while its settings are incomplete. */
function placeOf(options: StorageOptions): string {
  try {
    return openStorage(options).place;
  } catch {
    return "";
  }
}

function isRunningElsewhere(error: unknown): boolean {
  return error instanceof GatewayError && error.params["reason"] === "log_export_running";
}

function reasonFor(error: unknown): Reason {
  if (error instanceof GatewayError) return reasonOfError(error);
  return plainReason(error instanceof Error ? error.message : String(error));
}

function timeOrNull(time: Date | undefined): number | null {
  return time === undefined ? null : unixTime(time);
}
