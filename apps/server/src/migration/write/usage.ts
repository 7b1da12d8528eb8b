import { addPastCharges } from "#domain/ledger/balances/opening-balances.ts";
import type { UsageRecord } from "#migration/records.ts";
import { inBatches, type WriteContext } from "./write-context.ts";

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
