import type { Pool } from "#platform/database/db.ts";
import { recompute } from "./pricing.ts";
import { hasBill, readBill, type StoredBill } from "./stored-bill.ts";

/** Recomputes charges from the log alone. It must not repair anything. */
export interface Replay {
  checked: number;
  /** Calls whose bill is unreadable or does not match the charge plus the uncollected part. Expected: none. */
  differences: { requestId: string; charged: bigint; computed: bigint }[];
}

interface Row extends StoredBill {
  created_at: Date;
  id: bigint;
  request_id: string;
  quota: bigint;
}

const portion = 5_000;

/** Replays the calls from `from` (inclusive) to `to` (exclusive). */
export async function replay(pool: Pool, from: Date, to: Date): Promise<Replay> {
  const result: Replay = { checked: 0, differences: [] };
  let after: { at: Date; id: bigint } = { at: from, id: -1n };
  for (;;) {
    const { rows } = await pool.query<Row>(
      `SELECT created_at, id, request_id, quota, bill, bill_facts FROM request_logs l
       WHERE (created_at, id) > ($1, $2) AND created_at < $3 AND type IN (2, 5) AND ${hasBill}
       ORDER BY created_at, id LIMIT ${portion}`,
      [after.at, after.id, to],
    );
    for (const row of rows) {
      const bill = readBill(row);
      if (bill === undefined) {
        result.differences.push({ requestId: row.request_id, charged: row.quota, computed: 0n });
        continue;
      }
      const { points, exact } = recompute(bill);
      const owed = row.quota + BigInt(bill.uncollected ?? "0");
      if (points !== owed || exact !== bill.exact) {
        result.differences.push({ requestId: row.request_id, charged: owed, computed: points });
      }
    }
    result.checked += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < portion) return result;
    after = { at: last.created_at, id: last.id };
  }
}
