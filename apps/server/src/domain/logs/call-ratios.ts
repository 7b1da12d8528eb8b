import type { LogRow } from "@gateway/shared/usage/log";
import type { Pool } from "#platform/database/db.ts";

/** Ratios of the price of a call, for input and output. */
export interface CallRatios {
  input: number;
  output: number;
}

/**
 * Returns the ratios of the price that applied to each call, by the id of its row. A bill has lines only for what was
 * used, so these are also those of kinds that a call did not use. A call without a stored price is left out.
 */
export async function ratiosOfCalls(
  pool: Pool,
  rows: readonly Pick<LogRow, "id" | "created_at">[],
): Promise<Map<string, CallRatios>> {
  if (rows.length === 0) return new Map();
  // The times limit the search to the partitions of these rows.
  const times = rows.map(({ created_at }) => created_at);
  const found = await pool.query<{ id: string; input: string; output: string }>(
    `SELECT l.id::text AS id, p.snapshot ->> 'input' AS input, p.snapshot ->> 'output' AS output
       FROM request_logs l JOIN price_versions p ON p.id = l.price_version_id
      WHERE l.id = ANY($1::bigint[]) AND l.created_at >= to_timestamp($2) AND l.created_at < to_timestamp($3)`,
    [rows.map(({ id }) => id), Math.min(...times), Math.max(...times) + 1],
  );
  return new Map(
    found.rows.map(({ id, input, output }) => [id, { input: Number(input), output: Number(output) }]),
  );
}
