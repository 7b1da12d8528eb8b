import { newestCharges, readLogs } from "#migration/family/history.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChargeSample, LogPrice, LogRecord, UsageRecord } from "#migration/records.ts";
import {
  truncateText,
  decimal,
  int,
  logPrice,
  parseJson,
  points,
  record,
  seconds,
  text,
  whole,
} from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

const hourMs = 3_600_000;
/** Charges with any of these are computed by more than token ratios. */
const special =
  /web_search|file_search|audio|image_|tiered|video|^ws$|subscription|task|claude_1h|create_cache_1h|cache_creation_tokens_1h/;

export async function* newApiUsage({ source, book }: ReadContext): AsyncGenerator<UsageRecord> {
  if (!source.columns.has("quota_data")) return;
  for await (const row of source.rows({ table: "quota_data", orderBy: "id" })) {
    book.read("daily_usage");
    const at = seconds(row, "created_at");
    if (at === undefined) {
      book.skip("daily_usage", "usage_date");
      continue;
    }
    yield {
      hour: new Date(Math.floor(at.getTime() / hourMs) * hourMs),
      userId: int(row, "user_id"),
      channelId: int(row, "channel_id"),
      model: truncateText(text(row, "model_name"), 160),
      group: text(row, "use_group").trim(),
      requests: points(row, "count"),
      quota: points(row, "quota"),
      // It sums input and output in one number.
      promptTokens: points(row, "token_used"),
      completionTokens: 0n,
      requestTime: 0n,
    };
  }
}

const typeHere: Record<number, number> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 4 };

export function newApiLogs(context: ReadContext, since: Date): AsyncGenerator<LogRecord> {
  return readLogs(context, since, (row) => {
    const type = typeHere[int(row, "type")];
    if (type === undefined) return undefined;
    const other = record(parseJson(text(row, "other")));
    return {
      requestId: text(row, "request_id") || `import-${text(row, "id")}`,
      type,
      tokenId: int(row, "token_id"),
      group: text(row, "group").trim(),
      backupGroup: false,
      upstreamModel: typeof other["upstream_model_name"] === "string" ? other["upstream_model_name"] : "",
      requestTime: int(row, "use_time") * 1_000,
      firstByteTime: Math.max(0, Math.trunc(Number(other["frt"]) || 0)),
      ip: text(row, "ip"),
      price: priceOf(other),
    };
  });
}

function priceOf(other: Record<string, unknown>): LogPrice | undefined {
  // A call with a price of its own has no ratios.
  if (Number(other["model_price"] ?? -1) >= 0) return undefined;
  const input = other["model_ratio"];
  const output = Number(input ?? NaN) * Number(other["completion_ratio"] ?? NaN);
  return logPrice(other["group_ratio"], input, Number(output.toPrecision(12)));
}

export async function* newApiCharges(context: ReadContext): AsyncGenerator<ChargeSample> {
  const unit = Number(context.options.get("QuotaPerUnit") ?? 500_000) || 500_000;
  for await (const row of newestCharges(context)) {
    const sample = sampleOf(row, unit);
    if (sample !== undefined) yield sample;
  }
}

function sampleOf(row: SourceRow, unit: number): ChargeSample | undefined {
  const other = record(parseJson(text(row, "other")));
  if (Object.entries(other).some(([name, value]) => special.test(name) && Boolean(value))) return undefined;
  const groupRatio = decimal(other["group_ratio"]);
  const input = Number(other["model_ratio"]);
  const completion = Number(other["completion_ratio"]);
  const perCall = Number(other["model_price"] ?? -1);
  if (groupRatio === undefined || (perCall < 0 && !(input >= 0 && completion >= 0))) return undefined;
  const reads = Math.max(0, Math.trunc(Number(other["cache_tokens"]) || 0));
  const writes = Math.max(0, Math.trunc(Number(other["cache_creation_tokens"]) || 0));
  // Of Anthropic's calls it logs the input without what was cached.
  const beside = other["claude"] === true ? reads + writes : 0;
  const wanted = perCall >= 0 ? [(perCall * unit) / 1_000, 0] : [input, input * completion];
  return {
    label: `log ${text(row, "id")}`,
    model: text(row, "model_name"),
    groupRatio,
    usage: {
      input: Math.max(0, whole(row, "prompt_tokens")) + beside,
      output: Math.max(0, whole(row, "completion_tokens")),
      ...(reads > 0 ? { cacheRead: reads } : {}),
      ...(writes > 0 ? { cacheWrite5m: writes } : {}),
    },
    charged: points(row, "quota"),
    // It rounds half up, this gateway up.
    tolerance: 1n,
    same: (price) =>
      near(Number(price.input), wanted[0]) &&
      (perCall >= 0 ? price.type === "times" : near(Number(price.output), wanted[1])) &&
      (reads === 0 || near(Number(price.extras["cached_tokens"] ?? 1), Number(other["cache_ratio"] ?? 1))),
  };
}

function near(here: number, there = 0): boolean {
  return Math.abs(here - there) < 1e-9 * Math.max(1, Math.abs(there));
}
