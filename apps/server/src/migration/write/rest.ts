import { LogType } from "@gateway/shared/usage/log-type";
import { addPastCharges } from "#domain/ledger/balances/opening-balances.ts";
import type {
  LogRecord,
  MenuRecord,
  ModelInfoRecord,
  ModelOwnerRecord,
  TaskRecord,
  UsageRecord,
} from "#migration/records.ts";
import { truncateText } from "#migration/row.ts";
import { jsonRows } from "./json-rows.ts";
import { findExistingIds, inBatches, type WriteContext } from "./write-context.ts";

const ended = new Set(["SUCCESS", "FAILURE"]);

/** Unfinished tasks go on where their channel is enabled; others have failed. */
export async function writeTasks(context: WriteContext, records: AsyncIterable<TaskRecord>): Promise<void> {
  const { tx, book, now } = context;
  await inBatches(context, "tasks", records, async (batch) => {
    const owners = await findExistingIds(
      tx,
      "users",
      batch.map((task) => task.userId),
    );
    const channels = await tx.channel.findMany({
      where: { id: { in: batch.map((task) => task.channelId) }, status: 1, deleted_at: null },
      select: { id: true },
    });
    const working = new Set(channels.map((channel) => channel.id));
    const fitting = batch.filter((task) => {
      const fits = owners.has(task.userId) && task.taskId.length <= 64;
      if (!fits) book.skip("tasks", "task_orphan", task.taskId);
      return fits;
    });
    const { count } = await tx.task.createMany({
      data: fitting.map((task) => {
        const goesOn = ended.has(task.status) || working.has(task.channelId);
        if (!goesOn) book.attention("task_ended", task.taskId);
        return {
          task_id: task.taskId,
          platform: task.platform,
          action: task.action,
          status: goesOn ? task.status.slice(0, 20) : "FAILURE",
          user_id: task.userId,
          token_id: task.tokenId,
          channel_id: task.channelId,
          quota: task.quota,
          progress: Math.min(100, Math.max(0, task.progress)),
          fail_reason: task.failReason,
          submit_time: task.submitTime ?? null,
          start_time: task.startTime ?? null,
          finish_time: task.finishTime ?? (goesOn ? null : now),
          properties: task.properties,
          data: task.data,
          notify_hook: task.notifyHook,
          created_at: task.createdAt ?? task.submitTime ?? now,
        };
      }),
      skipDuplicates: true,
    });
    for (let repeated = fitting.length - count; repeated > 0; repeated -= 1)
      book.skip("tasks", "task_repeated");
    book.imported("tasks", count);
  });
}

export async function writeModelOwners(context: WriteContext, records: AsyncIterable<ModelOwnerRecord>) {
  const { tx, book } = context;
  await inBatches(context, "model_owners", records, async (batch) => {
    for (const { id, name, icon } of batch)
      // An address of the icon stays; names of icons are those of this gateway.
      await tx.modelOwner.upsert({
        where: { id },
        create: { id, name, icon },
        update: /^https?:/.test(icon) ? { name, icon } : { name },
      });
    book.imported("model_owners", batch.length);
  });
}

export async function writeModelInfo(context: WriteContext, records: AsyncIterable<ModelInfoRecord>) {
  const { tx, book } = context;
  await inBatches(context, "model_info", records, async (batch) => {
    for (const { model, ...info } of batch) {
      const data = {
        name: info.name,
        description: info.description,
        context_length: info.contextLength,
        max_tokens: info.maxTokens,
        input_modalities: info.inputModalities,
        output_modalities: info.outputModalities,
        tags: info.tags,
        support_url: info.supportUrl,
      };
      await tx.modelInfo.upsert({ where: { model }, create: { model, ...data }, update: data });
    }
    book.imported("model_info", batch.length);
  });
}

export async function writeMenus(context: WriteContext, records: AsyncIterable<MenuRecord>) {
  const { tx, book } = context;
  await inBatches(context, "telegram_menus", records, async (batch) => {
    const { count } = await tx.telegramMenu.createMany({
      data: batch.map((menu) => ({
        command: menu.command,
        description: menu.description,
        parse_mode: menu.parseMode,
        reply_message: menu.reply,
      })),
      skipDuplicates: true,
    });
    book.imported("telegram_menus", count);
  });
}

export async function writeUsage(context: WriteContext, records: AsyncIterable<UsageRecord>): Promise<void> {
  const { run, book, groups } = context;
  await inBatches(context, "daily_usage", records, async (batch) => {
    const rows = [];
    for (const { group, ...usage } of batch)
      rows.push({ ...usage, tokenId: 0, group: await groups.symbolOf(group) });
    const orphans = await addPastCharges(run, unique(rows));
    for (let rest = orphans; rest > 0; rest -= 1) book.skip("daily_usage", "usage_owner");
    book.imported("daily_usage", batch.length - orphans);
  });
}

type PastRow = UsageRecord & { tokenId: number };

/** One statement may touch a row once. */
function unique(rows: readonly PastRow[]): PastRow[] {
  const sums = new Map<string, PastRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.hour, row.userId, row.tokenId, row.channelId, row.model, row.group]);
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { ...row });
    else
      for (const field of ["requests", "quota", "promptTokens", "completionTokens", "requestTime"] as const)
        sum[field] += row[field];
  }
  return [...sums.values()];
}

export async function writeLogs(context: WriteContext, records: AsyncIterable<LogRecord>): Promise<void> {
  const { run, book, groups } = context;
  await inBatches(context, "logs", records, async (batch) => {
    const rows = [];
    for (const log of batch) rows.push({ ...rowOf(log), group: await groups.symbolOf(log.group) });
    await run(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, "group",
         backup_group, model_name, upstream_model, is_stream, outcome, status, content, prompt_tokens, completion_tokens, quota,
         request_time, first_byte_time, source_ip)
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(created_at timestamptz, request_id text, type smallint, user_id int,
         username text, token_id int, token_name text, channel_id int, "group" text, backup_group boolean, model_name text,
         upstream_model text, is_stream boolean, outcome text, status smallint, content text, prompt_tokens bigint,
         completion_tokens bigint, quota bigint, request_time int, first_byte_time int, source_ip text)`,
      [jsonRows(rows)],
    );
    book.imported("logs", batch.length);
  });
}

function rowOf(log: LogRecord) {
  const failed = log.type === LogType.failed;
  return {
    created_at: log.createdAt.toISOString(),
    request_id: truncateText(log.requestId, 128),
    type: log.type,
    user_id: log.userId,
    username: truncateText(log.username, 64),
    token_id: log.tokenId,
    token_name: truncateText(log.tokenName, 200),
    channel_id: log.channelId,
    backup_group: log.backupGroup,
    model_name: truncateText(log.model, 200),
    upstream_model: truncateText(log.upstreamModel, 200),
    is_stream: log.isStream,
    outcome: failed ? "failed" : "complete",
    status: failed ? 500 : 200,
    content: log.content,
    prompt_tokens: Math.max(0, log.promptTokens),
    completion_tokens: Math.max(0, log.completionTokens),
    quota: String(log.quota),
    request_time: toMilliseconds(log.requestTime),
    first_byte_time: toMilliseconds(log.firstByteTime),
    source_ip: truncateText(log.ip, 64),
  };
}

const longest = 2_147_483_647;

function toMilliseconds(milliseconds: number): number {
  return Math.min(longest, Math.max(0, milliseconds));
}
