/**
 * The log in One Hub's format: numbered rows, the cost of a call under `metadata`, its channel as an object.
 */
import { Page, queryInt } from "@gateway/shared/paging";
import { LogQuery, type LogRow, LogTotals } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { everybody, ownLogView } from "#console/usage/logs.ts";
import { type CallRatios, ratiosOfCalls } from "#domain/logs/call-ratios.ts";
import type { LogView } from "#domain/logs/filter.ts";
import { emptyOlderChannel, OlderChannel } from "./plugin/channel-spelling.ts";
import { type CompatRoute, handleWith } from "./plugin/route.ts";

const Metadata = z.looseObject({
  group_name: z.string(),
  backup_group_name: z.string(),
  is_backup_group: z.boolean(),
  price_type: z.string(),
  group_ratio: z.number(),
  input_ratio: z.number(),
  output_ratio: z.number(),
});

const OlderLog = z.looseObject({
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  channel_id: z.int(),
  request_time: z.int(),
  is_stream: z.boolean(),
  source_ip: z.string(),
  /** Set for calls; null for everything else. */
  metadata: Metadata.nullable(),
  /** Set for calls, for administrators. Only id and name are filled in. */
  channel: OlderChannel.nullable(),
});
const OlderLogs = Page(OlderLog);

/** Returns the ratio of a line of these kinds; undefined without such a line. */
function lineRatio(row: LogRow, ...kinds: string[]): number | undefined {
  const line = row.bill?.lines.find(({ kind }) => kinds.includes(kind));
  return line === undefined ? undefined : Number(line.ratio);
}

/** Returns whether the bill lacks a ratio, because the call had no such tokens. */
function lacksRatio(row: LogRow): boolean {
  return lineRatio(row, "input", "calls") === undefined || lineRatio(row, "output") === undefined;
}

/** @param price the price that applied; undefined for a model without one, whose ratios are equal */
function metadataOf(row: LogRow, price: CallRatios | undefined): z.output<typeof Metadata> | null {
  const { bill } = row;
  if (row.type !== LogType.consume || bill === null) return null;
  const ofInput = lineRatio(row, "input", "calls") ?? price?.input;
  const ofOutput = lineRatio(row, "output") ?? price?.output;
  const sumLines = (name: string, ...kinds: string[]) => {
    const amount = bill.lines
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, line) => sum + line.amount, 0);
    return amount === 0 ? {} : { [name]: amount };
  };
  return {
    group_name: row.group,
    backup_group_name: row.backup_group ? row.group : "",
    is_backup_group: row.backup_group,
    price_type: bill.price_type,
    group_ratio: Number(bill.group_ratio),
    input_ratio: ofInput ?? ofOutput ?? 0,
    output_ratio: ofOutput ?? ofInput ?? 0,
    ...(row.first_byte_time > 0 ? { first_response: row.first_byte_time } : {}),
    ...Object.assign(
      {},
      ...[
        "cached_tokens",
        "cached_write_tokens",
        "cached_read_tokens",
        "input_audio_tokens",
        "output_audio_tokens",
        "reasoning_tokens",
        "input_image_tokens",
        "output_image_tokens",
      ].map((name) => sumLines(name, name)),
    ),
  };
}

const older = (row: LogRow, isOwn: boolean, price: CallRatios | undefined): z.output<typeof OlderLog> => ({
  ...row,
  // Users' own rows have no number and no channel.
  id: isOwn ? 0 : Number(row.id),
  metadata: metadataOf(row, price),
  channel:
    isOwn || row.type !== LogType.consume
      ? null
      : { ...emptyOlderChannel, id: row.channel_id, name: row.channel_name },
});

/** The columns by which One Hub sorts. */
const sortable = /^-?(created_at|channel_id|user_id|token_name|model_name|type|source_ip)$/;

const OlderQuery = LogQuery.extend({
  /** One Hub's pages have no end. */
  page: queryInt(z.int().min(1).max(1_000_000_000)).default(1),
  order: LogQuery.shape.order.refine(
    (order) => order.split(",").every((part) => part === "" || sortable.test(part)),
    "The list cannot be sorted by this field.",
  ),
});

/** One Hub's log has no failed calls. */
const inOneHub = { withoutFailed: true } as const;

const list = (viewOf: (request: FastifyRequest) => LogView): CompatRoute => ({
  handle: handleWith({ query: OlderQuery, data: OlderLogs }, async ({ query }, { request, services }) => {
    const view = viewOf(request);
    const found = await services.wholeLogs.page(view, { ...query, ...inOneHub });
    const { data, page = 1, size = data.length, total_count = 0 } = found;
    const prices = await ratiosOfCalls(services.pool, data.filter(lacksRatio));
    const rows = data.map((row) => older(row, view.of === "owner", prices.get(row.id)));
    return { data: { data: rows, page, size, total_count } };
  }),
});

const Filter = LogQuery.extend({ channel: queryInt(z.int().min(0)).catch(0).default(0) });

const totals = (viewOf: (request: FastifyRequest) => LogView): CompatRoute => ({
  handle: handleWith({ query: Filter, data: LogTotals }, async ({ query }, { request, services }) => {
    const { channel, channel_id, ...rest } = query;
    const search = { ...rest, ...inOneHub, channel_id: channel || channel_id };
    return { data: await services.wholeLogs.totals(viewOf(request), search) };
  }),
});

export const logCompat: Record<string, CompatRoute> = {
  "GET /log": list(() => everybody),
  "GET /log/self": list(ownLogView),
  "GET /log/stat": totals(() => everybody),
  "GET /log/self/stat": totals(ownLogView),
};
