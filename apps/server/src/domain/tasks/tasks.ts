/**
 * Asynchronous work of providers, from the row of a task to its only end. The module refunds failures; it
 * does not know how a provider is called.
 */
import type { TaskPlatform } from "@gateway/shared/channels/task";
import { reasonOf } from "@gateway/shared/reasons";
import { storable } from "#dialects/storable.ts";
import { credit } from "#domain/ledger/balances/credit.ts";
import { conflict, notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient, Task } from "#platform/prisma/client.ts";
import type { AcceptedTask, TaskRequest, TaskStanding } from "#providers/wires/task.ts";
import { firstNotice } from "./notices.ts";

const MINUTE_MS = 60_000;

export interface NewTask {
  platform: TaskPlatform;
  requested: TaskRequest;
  accepted: AcceptedTask;
  /** Minutes until the task counts as failed. */
  minutes: number;
  userId: number;
  tokenId: number;
  channelId: number;
  keyId: number | undefined;
  requestId: string;
  /** Start of the call, as in its log row. */
  submittedAt: Date;
}

/**
 * Stores a task before its call is charged: a charged task must never be lost. `known` means that the
 * provider returned a task that this account already has. Throws `conflict` if it belongs to another account.
 */
export async function addTask(db: Db, input: NewTask): Promise<{ task: Task; known: boolean }> {
  const { platform, requested, accepted } = input;
  const [task] = await db.task.createManyAndReturn({
    skipDuplicates: true,
    data: [
      {
        platform,
        task_id: storable(accepted.taskId),
        action: requested.action.slice(0, 40),
        status: "SUBMITTED",
        user_id: input.userId,
        token_id: input.tokenId,
        channel_id: input.channelId,
        key_id: input.keyId ?? null,
        request_id: input.requestId,
        model: requested.model,
        submit_time: input.submittedAt,
        deadline: new Date(input.submittedAt.getTime() + input.minutes * MINUTE_MS),
        properties: { prompt: requested.prompt, ...requested.properties },
        data: storable(accepted.data) as Prisma.InputJsonObject,
        notify_hook: requested.notifyHook,
      },
    ],
  });
  if (task !== undefined) return { task, known: false };
  const earlier = await findTask(db, platform, storable(accepted.taskId), input.userId);
  if (earlier === undefined) throw conflict({ reason: "task_name_taken" });
  return { task: earlier, known: true };
}

/**
 * Records that the charge is committed. From here on, a failure refunds the amount in the log row. A failure
 * that came before is refunded now.
 */
export async function markCharged(db: PrismaClient, charged: Task): Promise<void> {
  await db.$transaction(async (tx) => {
    const quota = await chargedFor(tx, charged);
    const task = await tx.task.update({ where: { id: charged.id }, data: { quota } });
    if (task.status === "FAILURE") await payBack(tx, task);
  });
}

/**
 * Stores the state that a provider reported. A task ends at most once, whichever process reports it first. A
 * failure is refunded and the notification of the client is stored in the same transaction. Returns the task
 * if it ended now.
 */
export async function advance(
  db: PrismaClient,
  id: bigint,
  standing: Omit<TaskStanding, "taskId">,
): Promise<Task | undefined> {
  const { status } = standing;
  const ended = status === "SUCCESS" || status === "FAILURE";
  return db.$transaction(async (tx) => {
    const [task] = await tx.task.updateManyAndReturn({
      where: { id, status: { notIn: ["SUCCESS", "FAILURE"] } },
      data: {
        status,
        progress: ended ? 100 : standing.progress,
        fail_reason: storable(standing.failReason),
        ...(standing.startTime === undefined ? {} : { start_time: standing.startTime }),
        ...(ended ? { finish_time: standing.finishTime ?? currentTime() } : {}),
        data: storable(standing.data) as Prisma.InputJsonObject,
      },
    });
    if (task === undefined || !ended) return undefined;
    if (task.notify_hook !== "") await tx.task.update({ where: { id }, data: firstNotice(currentTime()) });
    if (status === "FAILURE") await payBack(tx, task);
    return task;
  });
}

/** Fails a task that its provider will no longer finish. */
export function giveUp(db: PrismaClient, task: Task, reason: string): Promise<Task | undefined> {
  return advance(db, task.id, {
    status: "FAILURE",
    progress: 100,
    failReason: reason,
    startTime: undefined,
    finishTime: undefined,
    data: task.data as Record<string, unknown>,
  });
}

/**
 * Refunds a failed task. The reference is unique per task, so it is refunded once, however often it fails.
 */
async function payBack(tx: Prisma.TransactionClient, task: Task): Promise<void> {
  const points = task.quota === 0n ? await chargedFor(tx, task) : task.quota;
  if (points === 0n) return;
  await credit(tx, {
    userId: task.user_id,
    kind: "task",
    amount: points,
    reference: refundReference(task.id),
    reason: reasonOf("taskRefund", { platform: task.platform, task: task.task_id }),
  });
}

export function refundReference(id: bigint): string {
  return `task:${id}`;
}

/** Reads the charge from the log: the process may have died between the charge and `markCharged`. */
async function chargedFor(tx: Prisma.TransactionClient, task: Task): Promise<bigint> {
  const [row] = await tx.$queryRaw<{ quota: bigint }[]>`
    SELECT quota FROM request_logs
    WHERE created_at = ${task.submit_time}::timestamptz AND request_id = ${task.request_id} AND type = 2`;
  return row?.quota ?? 0n;
}

/** Returns a task of this account; undefined if it has none with that id. */
export async function findTask(
  db: Db,
  platform: TaskPlatform,
  taskId: string,
  userId: number,
): Promise<Task | undefined> {
  const task = await db.task.findUnique({ where: { platform_task_id: { platform, task_id: taskId } } });
  return task === null || task.user_id !== userId ? undefined : task;
}

/** Returns a task of this account. Throws `not_found`. */
export async function getTask(db: Db, platform: TaskPlatform, taskId: string, userId: number): Promise<Task> {
  const task = await findTask(db, platform, taskId, userId);
  if (task === undefined) throw notFound({ reason: "task_not_found" });
  return task;
}

/** Returns tasks of this account, newest first. Ids of other accounts' tasks are ignored. */
export function findTasks(
  db: Db,
  platform: TaskPlatform,
  taskIds: readonly string[],
  userId: number,
): Promise<Task[]> {
  return db.task.findMany({
    where: { platform, user_id: userId, task_id: { in: [...taskIds] } },
    orderBy: { id: "desc" },
  });
}

/**
 * Claims unfinished tasks whose provider was not polled for some seconds, longest wait first. They belong to
 * this node for the same time.
 */
export function claimTasks(db: Db, waitedSeconds: number, most: number): Promise<Task[]> {
  return db.$queryRaw<Task[]>`
    UPDATE tasks SET updated_at = now() WHERE id IN (
      SELECT id FROM tasks
      WHERE status NOT IN ('SUCCESS', 'FAILURE') AND updated_at <= now() - make_interval(secs => ${waitedSeconds})
      ORDER BY updated_at LIMIT ${most} FOR UPDATE SKIP LOCKED
    ) RETURNING *`;
}
