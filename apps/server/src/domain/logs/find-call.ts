import type { LogRow } from "@gateway/shared/usage/log";
import { notFound } from "#errors.ts";
import type { Pool } from "#platform/database/db.ts";
import type { LogView } from "./filter.ts";
import { numberChannels } from "./number-channels.ts";
import { describeLogRow, type StoredLogRow } from "./search.ts";

/**
 * Finds one entry of the log by its id or request id. Throws `not_found`, also when it belongs to a different
 * owner: an owner must not learn which requests others made. Owners see the route with numbered channels.
 */
export async function findCall(pool: Pool, view: LogView, id: string): Promise<LogRow> {
  const byRow = /^\d{1,18}$/.test(id);
  const { rows } = await pool.query<StoredLogRow>(
    // Materialized, because otherwise Postgres might scan an index by time from its newest end to the call.
    `WITH found AS MATERIALIZED (
       SELECT * FROM request_logs
        WHERE ${byRow ? "id = $1::bigint" : "request_id = $1"} AND ($2::int IS NULL OR user_id = $2))
     SELECT l.*, c.name AS channel_name
       FROM (SELECT * FROM found ORDER BY created_at DESC, id DESC LIMIT 1) l
       LEFT JOIN channels c ON c.id = l.channel_id`,
    [id, view.of === "owner" ? view.userId : null],
  );
  const [row] = rows;
  if (row === undefined) throw notFound({ reason: "call_not_found" });
  const call = describeLogRow(row, view);
  if (view.of === "everybody") return call;
  const attempts = describeLogRow(row, { of: "everybody" }).attempts ?? [];
  // Some kinds of calls do not note an attempt that succeeds at once. An empty list would say that no channel was called.
  const isNoted = attempts.length > 0 || row.channel_id === 0;
  return { ...call, attempts: isNoted ? numberChannels(attempts) : null };
}
