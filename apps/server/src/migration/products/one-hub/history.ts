import { defaultExtras } from "#domain/pricing/pricing.ts";
import { newestCharges, readLogs, sharedType } from "#migration/family/history.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChargeSample, LogRecord, UsageRecord } from "#migration/records.ts";
import {
  truncateText,
  decimal,
  readCalendarDate,
  int,
  json,
  logPrice,
  points,
  record,
  text,
  whole,
} from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

/** What a charge's metadata names besides its usage; anything else makes it another kind of charge. */
const plain =
  /^(?:backup_group_name|group_name|group_ratio|input_ratio|output_ratio|is_backup_group|price_type|first_response|(?:cached_tokens|cached_read_tokens|cached_write_tokens|input_audio_tokens|output_audio_tokens|reasoning_tokens|input_text_tokens|output_text_tokens|input_image_tokens|output_image_tokens)(?:_ratio)?)$/;

/** Charges by day, account, channel and model. */
export async function* oneHubUsage({ source, book }: ReadContext): AsyncGenerator<UsageRecord> {
  if (!source.columns.has("statistics")) return;
  for await (const row of source.rows({ table: "statistics", orderBy: "date" })) {
    book.read("daily_usage");
    const hour = readCalendarDate(new Date(`${text(row, "date").slice(0, 10)}T00:00:00Z`));
    if (hour === undefined) {
      book.skip("daily_usage", "usage_date");
      continue;
    }
    yield {
      hour,
      userId: int(row, "user_id"),
      channelId: int(row, "channel_id"),
      model: truncateText(text(row, "model_name"), 160),
      group: "",
      requests: points(row, "request_count"),
      quota: points(row, "quota"),
      promptTokens: points(row, "prompt_tokens"),
      completionTokens: points(row, "completion_tokens"),
      requestTime: points(row, "request_time"),
    };
  }
}

export function oneHubLogs(context: ReadContext, since: Date): AsyncGenerator<LogRecord> {
  return readLogs(context, since, (row) => {
    const type = sharedType(row);
    if (type === undefined) return undefined;
    const metadata = record(json(row, "metadata"));
    return {
      requestId: `import-${text(row, "id")}`,
      // One Hub does not store it; this gateway, whose API is the same, does.
      answerId: text(row, "request_id") || undefined,
      type,
      tokenId: 0,
      group: typeof metadata["group_name"] === "string" ? metadata["group_name"] : "",
      backupGroup: metadata["is_backup_group"] === true,
      upstreamModel: "",
      requestTime: int(row, "request_time"),
      firstByteTime: Math.max(0, Math.trunc(Number(metadata["first_response"]) || 0)),
      ip: text(row, "source_ip"),
      price: logPrice(metadata["group_ratio"], metadata["input_ratio"], metadata["output_ratio"]),
    };
  });
}

/** The newest charges with what they were computed from. */
export async function* oneHubCharges(context: ReadContext): AsyncGenerator<ChargeSample> {
  for await (const row of newestCharges(context)) {
    const sample = sampleOf(row);
    if (sample !== undefined) yield sample;
  }
}

function sampleOf(row: SourceRow): ChargeSample | undefined {
  const metadata = record(json(row, "metadata"));
  if (Object.keys(metadata).some((name) => !plain.test(name))) return undefined;
  const [groupRatio, input, output] = ["group_ratio", "input_ratio", "output_ratio"].map((name) =>
    decimal(metadata[name]),
  );
  if (groupRatio === undefined || input === undefined || output === undefined) return undefined;
  const amount = (kind: string) => {
    const value = Math.trunc(Number(metadata[kind]));
    return value > 0 ? value : undefined;
  };
  const reads = amount("cached_read_tokens");
  const writes = amount("cached_write_tokens");
  const extras = Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]) => {
      const ratio = name.endsWith("_tokens_ratio") ? decimal(value) : undefined;
      return ratio === undefined ? [] : [[name.slice(0, -"_ratio".length), ratio]];
    }),
  );
  return {
    label: `log ${text(row, "id")}`,
    model: text(row, "model_name"),
    groupRatio,
    usage: {
      input: Math.max(0, whole(row, "prompt_tokens")),
      output: Math.max(0, whole(row, "completion_tokens")),
      ...withoutUndefined({
        cacheRead: reads ?? amount("cached_tokens"),
        cacheWrite5m: writes ?? (reads === undefined ? undefined : 0),
        audioInput: amount("input_audio_tokens"),
        audioOutput: amount("output_audio_tokens"),
        imageInput: amount("input_image_tokens"),
        imageOutput: amount("output_image_tokens"),
        reasoning: amount("reasoning_tokens"),
      }),
    },
    charged: points(row, "quota"),
    // It rounded each multiplier to whole tokens first.
    tolerance: BigInt(
      1 +
        Object.keys(extras).length *
          Math.ceil(Math.max(1, Number(input), Number(output)) * Number(groupRatio)),
    ),
    same: (price) =>
      Number(price.input) === Number(input) &&
      (metadata["price_type"] === "times" || Number(price.output) === Number(output)) &&
      Object.entries(extras).every(
        ([kind, ratio]) => Number(price.extras[kind] ?? defaultOf(kind)) === Number(ratio),
      ),
  };
}

function defaultOf(kind: string): string {
  return (defaultExtras as Record<string, string>)[kind] ?? "1";
}

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
