import type { Pool } from "#platform/database/db.ts";

/** How good the quotes of one model were. Amounts in points. */
export interface QuotesOfModel {
  readonly model: string;
  /** Calls with a quote that were charged. */
  readonly calls: number;
  readonly quoted: bigint;
  readonly charged: bigint;
  /** Calls that cost more than their quote, and by how much: the operator pays it. */
  readonly exceeded: number;
  readonly excess: bigint;
}

/** Returns the quotes used since a time, by model, the ones that cost the operator most first. */
export async function readQuotes(pool: Pool, since: Date): Promise<QuotesOfModel[]> {
  const { rows } = await pool.query<QuotesOfModel>(
    `SELECT model, count(*)::int AS calls, sum(amount)::bigint AS quoted, sum(charged)::bigint AS charged,
       (count(*) FILTER (WHERE excess > 0))::int AS exceeded, sum(excess)::bigint AS excess
     FROM quotes WHERE charged IS NOT NULL AND created_time >= $1
     GROUP BY model ORDER BY sum(excess) DESC, sum(amount) DESC, model`,
    [since],
  );
  return rows;
}
