/**
 * Runs as database rows: their items, their progress and the heartbeat of their node. Because they are in the
 * database, any node can show and stop a run. `runner.ts` executes them.
 */
import type {
  ChannelRun,
  ChannelRunDetail,
  ChannelRunInput,
  ChannelRunItem,
  ChannelRunKind,
} from "@gateway/shared/channels/channel-run";
import { type Reason, storedFacts } from "@gateway/shared/reasons";
import { conflict, notFound } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";

/** Seconds without a heartbeat after which the node of a run is considered dead. */
const SILENCE_SECONDS = 30;
const RUNS_KEPT = 20;
const MAX_ITEMS = 20_000;

export type ItemOutcome = "ok" | "failed" | "skipped";

export interface WorkItem {
  position: number;
  channelId: number;
  /** "" means the channel's default test model. */
  model: string;
}

/**
 * Creates a run. Throws `conflict` while another run of this kind is active, and `not_found` if no channel
 * matches.
 * @param minutes interval of the scheduler: throws `conflict` if its last run of this kind started less long
 *   ago
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
    // Under the lock: a slower node of the scheduler must find the run even if it has already ended.
    if (minutes > 0 && !(await isDue(tx, input.kind, minutes))) throw conflict({ reason: "run_not_due" });
    const running = await tx.channelRun.findFirst({ where: { kind: input.kind, status: "running" } });
    if (running !== null) throw conflict({ reason: alreadyRunning[input.kind] });
    const channels = await tx.channel.findMany({
      where: conditionOf(input),
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
    await forgetOldRuns(tx, input.kind);
    return { id, items };
  });
}

const alreadyRunning = {
  test: "test_running",
  balance: "balances_running",
  models: "models_running",
} as const;

function conditionOf({ ids, tag }: ChannelRunInput): Prisma.ChannelWhereInput {
  const alive = { deleted_at: null };
  if (ids !== undefined) return { ...alive, id: { in: ids } };
  if (tag !== "") return { ...alive, tag };
  return { ...alive, status: { in: [1, 3] } };
}

/** Keeps runs per kind: the scheduler must find the last daily one behind many that run every minute. */
async function forgetOldRuns(db: Db, kind: ChannelRunKind): Promise<void> {
  const [oldest] = await db.channelRun.findMany({
    where: { kind },
    orderBy: { id: "desc" },
    skip: RUNS_KEPT,
    take: 1,
  });
  if (oldest !== undefined)
    await db.channelRun.deleteMany({ where: { kind, id: { lte: oldest.id }, status: { not: "running" } } });
}

async function endSilentRuns(db: Db): Promise<void> {
  const since = new Date(currentTime().getTime() - SILENCE_SECONDS * 1_000);
  await db.channelRun.updateMany({
    where: { status: "running", beat_time: { lt: since } },
    data: { status: "interrupted", ended_time: currentTime() },
  });
}

/**
 * Stores the result of an item.
 * @param done its `finished` is the item's completion number in the run, from 1; readers ask for items after
 *   the last number they have seen
 */
export async function recordItem(
  db: PrismaClient,
  runId: number,
  position: number,
  done: { outcome: ItemOutcome; model: string; duration: number; message: Reason; finished: number },
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

/** Stores a heartbeat. Returns whether the run should continue: a user on any node may have stopped it. */
export async function beat(db: Db, runId: number): Promise<boolean> {
  const { count } = await db.channelRun.updateMany({
    where: { id: runId, status: "running" },
    data: { beat_time: currentTime() },
  });
  return count > 0;
}

/** Ends an active run. A run that has already ended stays unchanged. */
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

/** Returns whether the scheduler's last run of this kind started at least this many minutes ago. */
async function isDue(db: Db, kind: ChannelRunKind, minutes: number): Promise<boolean> {
  // A tick of the scheduler may come a moment early.
  const since = new Date(currentTime().getTime() - (minutes * 60 - 5) * 1_000);
  const recent = await db.channelRun.findFirst({
    where: { kind, user_id: null, created_time: { gt: since } },
    select: { id: true },
  });
  return recent === null;
}

/** Returns the runs, newest first. */
export async function listRuns(db: Db): Promise<ChannelRun[]> {
  await endSilentRuns(db);
  const runs = await db.channelRun.findMany({ orderBy: { id: "desc" }, take: RUNS_KEPT });
  return describe(db, runs);
}

/** Returns a run. Throws `not_found`. */
export async function getRun(db: Db, runId: number): Promise<ChannelRun> {
  const row = await db.channelRun.findUnique({ where: { id: runId } });
  const [run] = row === null ? [] : await describe(db, [row]);
  if (run === undefined) throw notFound({ reason: "run_not_found" });
  return run;
}

/**
 * Returns the run and the items that finished after number `after`, in completion order. Throws `not_found`.
 */
export async function readRun(
  db: Db,
  runId: number,
  after = 0,
): Promise<ChannelRunDetail & { last: number }> {
  // Read the status before the items: a reader that sees the end then has every earlier item.
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
      created_time: unixTime(run.created_time),
      ended_time: run.ended_time === null ? null : unixTime(run.ended_time),
      total: own.reduce((sum, each) => sum + each.count, 0),
      ok: of("ok"),
      failed: of("failed"),
      skipped: of("skipped"),
    };
  });
}
