import { storedFacts } from "@gateway/shared/reasons";
import type { BackupList } from "@gateway/shared/site/backup-list";
import { GatewayError } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Pool } from "#platform/database/db.ts";
import { readStoredTexts } from "#platform/database/storable-text.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { ObjectStorage } from "#platform/storage/storage.ts";
import { withinTime } from "#platform/time-limit.ts";
import { readBackupProgress } from "./backup-progress.ts";
import type { BackupReport } from "./create-backup.ts";
import { listBackups } from "./stored-backups.ts";

/** Backups in a list. */
const mostListed = 50;
/** Someone waits for the list. */
const patienceMs = 15_000;

/** The job of scheduled backups. */
export const backupJob = "write-backups";

/**
 * Remembers that a backup was read back and checked, and forgets deleted ones. A failed run of the job counts as repaired,
 * also when an administrator has started this backup.
 */
export async function recordBackup(
  db: PrismaClient,
  { place, name, removed }: BackupReport,
  version: string,
): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.backupRecord.upsert({
      where: { place_name: { place, name } },
      create: { place, name, version },
      update: { version, verified_at: currentTime() },
    });
    await tx.backupRecord.deleteMany({ where: { place, name: { in: removed } } });
    const { count } = await tx.jobSchedule.updateMany({
      where: { name: backupJob, failed_at: { not: null } },
      data: { failed_at: null },
    });
    if (count > 0) await announce(tx, "jobs");
  });
}

/** Lists the newest backups of a place, with what is known about them. Rejects when the place does not answer in time. */
export async function describeBackups(
  { db, pool }: { db: PrismaClient; pool: Pool },
  storage: ObjectStorage,
  waitMs = patienceMs,
): Promise<BackupList> {
  const { place } = storage;
  // Before the list: a backup that ends meanwhile is in it.
  const progress = await readBackupProgress(pool);
  const stored = await withinTime(waitMs, listBackups(storage), () => silent(place, waitMs));
  const listed = stored.slice(0, mostListed);
  const names = listed.map(({ name }) => name);
  const records = await db.backupRecord.findMany({ where: { place, name: { in: names } } });
  const known = new Map(records.map((record) => [record.name, record]));
  return {
    place,
    total: stored.length,
    progress,
    failure: await lastFailure(db, stored[0]?.createdAt),
    backups: listed.map(({ name, bytes, createdAt }) => {
      const record = known.get(name);
      return {
        name,
        bytes,
        created_at: unixTime(createdAt),
        is_encrypted: name.endsWith(".age"),
        version: record?.version ?? null,
        verified_at: record === undefined ? null : unixTime(record.verified_at),
      };
    }),
  };
}

/** The notice of a failed backup, scheduled or not. */
export const backupFailure = { event: "job-failed", topic: `job:${backupJob}` } as const;

/** Returns why the last backup failed; null when a later one was stored. */
async function lastFailure(db: PrismaClient, newest: Date | undefined): Promise<BackupList["failure"]> {
  const notice = await db.notice.findFirst({
    where: { ...backupFailure, ...(newest && { created_time: { gt: newest } }) },
    orderBy: { id: "desc" },
  });
  if (notice === null) return null;
  return {
    time: unixTime(notice.created_time),
    reason: readStoredTexts(notice.facts)["reason"] ?? "",
    reason_facts: storedFacts(notice.reason_facts),
  };
}

function silent(place: string, waitMs: number): GatewayError {
  const detail = `no answer within ${Math.round(waitMs / 1_000)} s`;
  return new GatewayError("conflict", { reason: "object_storage_failed", place, detail });
}
