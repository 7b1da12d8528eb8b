import type { Bill } from "@gateway/shared/usage/log";
import type { Pool } from "#platform/database/db.ts";
import { recompute } from "./pricing.ts";

/** Recomputes charges from the log alone. It must not repair anything. */
export interface Replay {
  checked: number;
  /** Calls whose bill does not match the charge plus the uncollected part. Expected: none. */
  differences: { requestId: string; charged: bigint; computed: bigint }[];
}

interface Row {
  created_at: Date;
  id: bigint;
  request_id: string;
  quota: bigint;
  bill: Bill;
}

const portion = 5_000;

/** Replays the calls from `from` (inclusive) to `to` (exclusive). */
export async function replay(pool: Pool, from: Date, to: Date): Promise<Replay> {
  const result: Replay = { checked: 0, differences: [] };
  let after: { at: Date; id: bigint } = { at: from, id: -1n };
  for (;;) {
    const { rows } = await pool.query<Row>(
      `SELECT created_at, id, request_id, quota, bill FROM request_logs
       WHERE (created_at, id) > ($1, $2) AND created_at < $3 AND type IN (2, 5) AND bill IS NOT NULL
       ORDER BY created_at, id LIMIT ${portion}`,
      [after.at, after.id, to],
    );
    for (const row of rows) {
      const { points, exact } = recompute(row.bill);
      const owed = row.quota + BigInt(row.bill.uncollected ?? "0");
      if (points !== owed || exact !== row.bill.exact) {
        result.differences.push({ requestId: row.request_id, charged: owed, computed: points });
      }
    }
    result.checked += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < portion) return result;
    after = { at: last.created_at, id: last.id };
  }
}
