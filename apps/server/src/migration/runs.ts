/** Imports of the console as database rows, so that any node can show and cancel them. `runner.ts` executes them. */
import { type ImportRun, ImportReport, type ImportStart } from "@gateway/shared/site/migration";
import { z } from "zod";
import { conflict, notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import { sameSecret, type Secrets } from "#platform/secrets.ts";

/** Seconds without a heartbeat after which the node of a run is considered dead. */
const silenceSeconds = 30;
/** How long the reports of a wizard can be read with its set-up link. */
const readableHours = 24;
const runsKept = 20;

type Row = Prisma.ImportRunGetPayload<object>;
export type ImportProgress = ImportRun["progress"];
export type RunFailure = NonNullable<ImportRun["failure"]>;
type Ending = "done" | "failed" | "cancelled" | "interrupted";

/** Creates a run that waits for its file, or runs at once. Throws `conflict` while another one is active. */
export async function openRun(
  db: PrismaClient,
  secrets: Secrets,
  input: Pick<ImportStart, "product" | "dry_run" | "prices"> & { log_days: number },
  run: { token: string; origin: string; status: "waiting" | "running" },
): Promise<number> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.startImport})`;
    await endSilentRuns(tx);
    // One that waits for its file was given up when the next one starts.
    await tx.importRun.updateMany({
      where: { status: "waiting" },
      data: { status: "cancelled", ended_time: currentTime() },
    });
    if ((await tx.importRun.count({ where: { status: "running" } })) > 0)
      throw conflict({ reason: "import_running" });
    const [oldest] = await tx.importRun.findMany({ orderBy: { id: "desc" }, skip: runsKept, take: 1 });
    if (oldest !== undefined) await tx.importRun.deleteMany({ where: { id: { lte: oldest.id } } });
    const { id } = await tx.importRun.create({
      data: {
        product: input.product,
        dry_run: input.dry_run,
        log_days: input.log_days,
        ...(input.prices === undefined ? {} : { prices: input.prices as Prisma.InputJsonValue }),
        origin: run.origin.slice(0, 300),
        status: run.status,
        token_hash: secrets.hash(run.token),
      },
    });
    return id;
  });
}

/** Marks a run whose file has arrived as running. Throws `conflict` if it no longer waits. */
export async function beginRun(db: Db, id: number, origin: string): Promise<void> {
  const { count } = await db.importRun.updateMany({
    where: { id, status: "waiting" },
    data: { status: "running", origin: origin.slice(0, 300), beat_time: currentTime() },
  });
  if (count === 0) throw conflict({ reason: "import_file_present" });
}

/** Stores heartbeat and progress. Returns whether the run should go on: someone on any node may have cancelled it. */
export async function beat(db: Db, id: number, progress: ImportProgress): Promise<boolean> {
  const { count } = await db.importRun.updateMany({
    where: { id, status: "running" },
    data: { beat_time: currentTime(), progress },
  });
  return count > 0;
}

/** Ends an active run; one that has ended stays unchanged. */
export async function endRun(
  db: Db,
  id: number,
  status: Ending,
  result: { report?: object; failure?: RunFailure; progress?: ImportProgress } = {},
): Promise<void> {
  await db.importRun.updateMany({
    where: { id, status: { in: ["waiting", "running"] } },
    data: {
      status,
      ended_time: currentTime(),
      ...(result.progress === undefined ? {} : { progress: result.progress }),
      ...(result.report === undefined ? {} : { report: result.report }),
      ...(result.failure === undefined ? {} : { failure: result.failure }),
    },
  });
}

async function endSilentRuns(db: Db): Promise<void> {
  const since = new Date(currentTime().getTime() - silenceSeconds * 1_000);
  await db.importRun.updateMany({
    where: { status: "running", beat_time: { lt: since } },
    data: { status: "interrupted", ended_time: currentTime() },
  });
}

/**
 * Returns a run for the set-up link that started it, also after the import has used the link up. Throws
 * `not_found` for every other one.
 */
export async function findRun(db: Db, secrets: Secrets, id: number, token: string): Promise<Row> {
  await endSilentRuns(db);
  const since = new Date(currentTime().getTime() - readableHours * 3_600_000);
  const row = await db.importRun.findFirst({ where: { id, created_time: { gt: since } } });
  if (row === null || token === "" || !sameSecret(row.token_hash, secrets.hash(token)))
    throw notFound({ reason: "import_not_found" });
  return row;
}

const StoredFailure = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  message: z.string(),
});
const StoredProgress = z.array(z.object({ kind: z.string(), rows: z.int() }));

export function presentRun(row: Row): ImportRun {
  return {
    id: row.id,
    product: row.product,
    origin: row.origin,
    dry_run: row.dry_run,
    status: row.status as ImportRun["status"],
    created_time: unixTime(row.created_time),
    progress: StoredProgress.safeParse(row.progress).data ?? [],
    report: ImportReport.safeParse(row.report).data ?? null,
    failure: StoredFailure.safeParse(row.failure).data ?? null,
  };
}
