import { objectOption } from "#migration/family/go-options.ts";
import { newestCharges, readLogs, sharedType } from "#migration/family/history.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChargeSample, LogRecord } from "#migration/records.ts";
import { decimal, int, points, text, whole } from "#migration/row.ts";
import type { SourceRow } from "#migration/sources/source.ts";

export function oneApiLogs(context: ReadContext, since: Date): AsyncGenerator<LogRecord> {
  return readLogs(context, since, (row) => {
    // Type 5 is a test of a channel, which is not charged.
    const type = sharedType(row);
    if (type === undefined) return undefined;
    return {
      requestId: text(row, "request_id") || `import-${text(row, "id")}`,
      type,
      tokenId: 0,
      group: "",
      backupGroup: false,
      upstreamModel: "",
      requestTime: int(row, "elapsed_time"),
      firstByteTime: 0,
      ip: "",
    };
  });
}

/** The newest charges. Their text says the ratios, with two decimals. */
export async function* oneApiCharges(context: ReadContext): AsyncGenerator<ChargeSample> {
  const groups = Object.values(objectOption(context, "GroupRatio")).flatMap((ratio) => decimal(ratio) ?? []);
  for await (const row of newestCharges(context)) {
    const sample = sampleOf(row, new Set([...groups, "1"]));
    if (sample !== undefined) yield sample;
  }
}

/** How far a ratio may be from its text. */
const hidden = 0.005;
/** Input, group, output. */
const ratioText = /^倍率：(\d+\.\d\d) × (\d+\.\d\d) × (\d+\.\d\d)$/;

function sampleOf(row: SourceRow, groups: ReadonlySet<string>): ChargeSample | undefined {
  const [, input, group, output] = ratioText.exec(text(row, "content").trim()) ?? [];
  const fitting = [...groups].filter((ratio) => twoDecimals(Number(ratio)) === group);
  const [groupRatio] = fitting;
  // Of two groups with the same first decimals, the row does not say which one it was.
  if (groupRatio === undefined || fitting.length > 1) return undefined;
  const tokens = {
    input: Math.max(0, whole(row, "prompt_tokens")),
    output: Math.max(0, whole(row, "completion_tokens")),
  };
  return {
    label: `log ${text(row, "id")}`,
    model: text(row, "model_name"),
    groupRatio,
    usage: tokens,
    charged: points(row, "quota"),
    tolerance: 1n,
    doubt: BigInt(
      Math.ceil(
        hidden * Number(groupRatio) * (tokens.input + tokens.output * (Number(input) + Number(output) + 1)),
      ),
    ),
    same: (price) =>
      price.type === "tokens" &&
      twoDecimals(Number(price.input)) === input &&
      (Number(price.input) === 0 || twoDecimals(Number(price.output) / Number(price.input)) === output),
  };
}

function twoDecimals(ratio: number): string {
  return ratio.toFixed(2);
}
