import type {
  ChannelRun,
  ChannelRunDetail,
  ChannelRunInput,
  ChannelRunItem,
  ChannelRunKind,
} from "@gateway/shared/channels/channel-run";
import { type Reason, storedFacts } from "@gateway/shared/reasons";
import { conflict, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";

/**
 * Runs as rows: what is to be done, how far it is, and whether its node still lives. Kept in the database so that any
 * node can show a run and stop it; who does the work is runner.ts.
 */

/** Seconds without a sign of life after which the node of a run is held to be gone. */
const SILENCE_SECONDS = 30;
const RUNS_KEPT = 20;
const MAX_ITEMS = 20_000;

export type Outcome = "ok" | "failed" | "skipped";

export interface WorkItem {
  position: number;
  channelId: number;
  /** "" = what the channel is usually tested with. */
  model: string;
}

/**
 * Throws `conflict` while another run of this kind is under way, `not_found` when no channel is meant.
 * @param minutes of the clock: throws `conflict` too when its last run of this kind began less long ago
 */
export async function openRun(
  db: PrismaClient,
  input: ChannelRunInput,
  userId: number | null,
  minutes = 0,
): Promise<{ id: number; items: WorkItem[] }> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.startChannelRun})`;
    await endSilentRuns(tx);
    // Under the lock: a slower node with the same idea must find the run even when it has ended already.
    if (minutes > 0 && !(await isDue(tx, input.kind, minutes))) throw conflict({ reason: "run_not_due" });
    const running = await tx.channelRun.findFirst({ where: { kind: input.kind, status: "running" } });
    if (running !== null)
      throw conflict({ reason: input.kind === "test" ? "test_running" : "balances_running" });
    const channels = await tx.channel.findMany({
      where: meant(input),
      select: { id: true },
      orderBy: { id: "asc" },
    });
    const models = input.models.length === 0 ? [""] : [...new Set(input.models)];
    const items = channels
      .flatMap(({ id }) => models.map((model) => ({ channelId: id, model })))
      .slice(0, MAX_ITEMS)
      .map((item, position) => ({ ...item, position }));
    if (items.length === 0) throw notFound({ reason: "channel_not_found" });
    const { id } = await tx.channelRun.create({ data: { kind: input.kind, user_id: userId } });
    await tx.channelRunItem.createMany({
      data: items.map(({ position, channelId, model }) => ({
        run_id: id,
        position,
        channel_id: channelId,
        model,
      })),
    });
    await forgetOldRuns(tx);
    return { id, items };
  });
}

function meant({ ids, tag }: ChannelRunInput): Prisma.ChannelWhereInput {
  const alive = { deleted_at: null };
  if (ids !== undefined) return { ...alive, id: { in: ids } };
  if (tag !== "") return { ...alive, tag };
  return { ...alive, status: { in: [1, 3] } };
}

async function forgetOldRuns(db: Db): Promise<void> {
  const [oldest] = await db.channelRun.findMany({ orderBy: { id: "desc" }, skip: RUNS_KEPT, take: 1 });
  if (oldest !== undefined)
    await db.channelRun.deleteMany({ where: { id: { lte: oldest.id }, status: { not: "running" } } });
}

async function endSilentRuns(db: Db): Promise<void> {
  const since = new Date(currentTime().getTime() - SILENCE_SECONDS * 1_000);
  await db.channelRun.updateMany({
    where: { status: "running", beat_time: { lt: since } },
    data: { status: "interrupted", ended_time: currentTime() },
  });
}

/** @param finished the how-manieth of its run, from 1; a watcher asks for what came after the last it has seen */
export async function noteItem(
  db: PrismaClient,
  runId: number,
  position: number,
  done: { outcome: Outcome; model: string; duration: number; message: Reason; finished: number },
): Promise<void> {
  await db.channelRunItem.updateMany({
    where: { run_id: runId, position },
    data: {
      outcome: done.outcome,
      model: done.model.slice(0, 160),
      duration_ms: done.duration,
      message: done.message.text,
      message_facts: done.message.facts,
      finished: done.finished,
    },
  });
}

/** A sign of life. Answers whether the run shall go on: anyone on any node may have stopped it. */
export async function beat(db: Db, runId: number): Promise<boolean> {
  const { count } = await db.channelRun.updateMany({
    where: { id: runId, status: "running" },
    data: { beat_time: currentTime() },
  });
  return count > 0;
}

/** Ends a run that is still under way; one that has ended stays as it is. */
export async function endRun(
  db: Db,
  runId: number,
  status: "done" | "cancelled" | "interrupted",
): Promise<void> {
  await db.channelRun.updateMany({
    where: { id: runId, status: "running" },
    data: { status, ended_time: currentTime() },
  });
}

/** Whether the clock's last run of this kind began so many minutes ago. */
async function isDue(db: Db, kind: ChannelRunKind, minutes: number): Promise<boolean> {
  // A minute's tick may come a moment early.
  const since = new Date(currentTime().getTime() - (minutes * 60 - 5) * 1_000);
  const recent = await db.channelRun.findFirst({
    where: { kind, user_id: null, created_time: { gt: since } },
    select: { id: true },
  });
  return recent === null;
}

/** Newest first. */
export async function listRuns(db: Db): Promise<ChannelRun[]> {
  await endSilentRuns(db);
  const runs = await db.channelRun.findMany({ orderBy: { id: "desc" }, take: RUNS_KEPT });
  return describe(db, runs);
}

/** Throws `not_found`. */
export async function getRun(db: Db, runId: number): Promise<ChannelRun> {
  const row = await db.channelRun.findUnique({ where: { id: runId } });
  const [run] = row === null ? [] : await describe(db, [row]);
  if (run === undefined) throw notFound({ reason: "run_not_found" });
  return run;
}

/** The run and what of it was finished after the `after`-th, in the order it was finished. Throws `not_found`. */
export async function readRun(
  db: Db,
  runId: number,
  after = 0,
): Promise<ChannelRunDetail & { last: number }> {
  // The state before the items: a watcher who sees the end has then seen everything that came before it.
  const run = await getRun(db, runId);
  const items = await db.channelRunItem.findMany({
    where: { run_id: runId, finished: { gt: after } },
    orderBy: { finished: "asc" },
  });
  const names = await namesOf(
    db,
    items.map((item) => item.channel_id),
  );
  return {
    run,
    last: items.at(-1)?.finished ?? after,
    items: items.map((item): ChannelRunItem => ({
      position: item.position,
      channel_id: item.channel_id,
      channel_name: names.get(item.channel_id) ?? `#${item.channel_id}`,
      model: item.model,
      outcome: item.outcome as ChannelRunItem["outcome"],
      duration: item.duration_ms,
      message: item.message,
      message_facts: storedFacts(item.message_facts),
    })),
  };
}

async function namesOf(db: Db, ids: number[]): Promise<Map<number, string>> {
  const rows = await db.channel.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: { id: true, name: true },
  });
  return new Map(rows.map((row) => [row.id, row.name]));
}

type RunRow = Prisma.ChannelRunGetPayload<object>;

async function describe(db: Db, runs: RunRow[]): Promise<ChannelRun[]> {
  const ids = runs.map((run) => run.id);
  const grouped = await db.channelRunItem.groupBy({
    by: ["run_id", "outcome"],
    where: { run_id: { in: ids } },
    _count: { outcome: true },
  });
  const counts = grouped.map(({ run_id, outcome, _count: { outcome: count } }) => ({
    run_id,
    outcome,
    count,
  }));
  const users = await db.user.findMany({
    where: { id: { in: runs.flatMap((run) => run.user_id ?? []) } },
    select: { id: true, username: true },
  });
  const nameOf = new Map(users.map((user) => [user.id, user.username]));
  return runs.map((run) => {
    const own = counts.filter((each) => each.run_id === run.id);
    const of = (outcome: string) => own.find((each) => each.outcome === outcome)?.count ?? 0;
    return {
      id: run.id,
      kind: run.kind as ChannelRun["kind"],
      status: run.status as ChannelRun["status"],
      username: run.user_id === null ? null : (nameOf.get(run.user_id) ?? `#${run.user_id}`),
      created_time: Math.floor(run.created_time.getTime() / 1000),
      ended_time: run.ended_time === null ? null : Math.floor(run.ended_time.getTime() / 1000),
      total: own.reduce((sum, each) => sum + each.count, 0),
      ok: of("ok"),
      failed: of("failed"),
      skipped: of("skipped"),
    };
  });
}
