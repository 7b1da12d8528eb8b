import { audit, describeAudit } from "#domain/ledger/balances/audit.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Seen } from "./clients.ts";

/** Comparison of what the clients saw with what the ledger recorded. */
export interface Books {
  complete: number;
  refused: number;
  /** Rejected calls by status. */
  refusals: Record<string, number>;
  broken: number;
  /**
   * Calls whose bill was committed when the node died before the last bytes were sent. Neither side can know
   * both.
   */
  brokenAndCharged: number;
  /** Of these, long calls whose node died: charged up to their last checkpoint. */
  interrupted: number;
  /** Error messages; empty when the ledger is correct. */
  wrong: string[];
}

interface Charge {
  request_id: string;
  address: string;
  times: number;
  interrupted: boolean;
  written: number;
}

export async function compare(pool: Pool, seen: readonly Seen[]): Promise<Books> {
  const { rows: charges } = await pool.query<Charge>(
    `SELECT request_id, min(source_ip) AS address, count(*)::int AS times, bool_or(outcome = 'interrupted') AS interrupted,
       max(completion_tokens)::int AS written FROM request_logs WHERE type = 2 AND quota > 0 GROUP BY request_id`,
  );
  const of = (end: Seen["end"]) => seen.filter((call) => call.end === end);
  const wrong: string[] = [];
  const byAddress = new Map<string, Charge>();
  for (const charge of charges) {
    if (charge.times > 1) wrong.push(`${charge.request_id} was charged ${charge.times} times.`);
    const other = byAddress.get(charge.address);
    if (other !== undefined)
      wrong.push(`One call was charged as ${other.request_id} and as ${charge.request_id}.`);
    byAddress.set(charge.address, charge);
  }
  let brokenAndCharged = 0;
  for (const call of seen) {
    const charge = byAddress.get(call.address);
    byAddress.delete(call.address);
    if (charge === undefined) {
      if (call.end === "complete") wrong.push(`${call.requestId} was seen complete and is not charged.`);
      continue;
    }
    if (call.requestId !== undefined && call.requestId !== charge.request_id)
      wrong.push(`${call.requestId} is charged as ${charge.request_id}.`);
    if (charge.interrupted) wrong.push(...interruptedWrongly(call, charge));
    if (call.end === "complete") continue;
    brokenAndCharged += 1;
    if (call.end === "refused" && !mayBeCharged(call.status))
      wrong.push(`${charge.request_id} was refused with ${call.status} and is charged.`);
  }
  for (const { request_id } of byAddress.values())
    wrong.push(`${request_id} is charged, and no client saw such a call.`);
  const { rows: negative } = await pool.query<{ id: number }>(
    "SELECT id FROM users WHERE quota < 0 OR reserved < 0 OR leased < 0 OR quota - reserved - leased < 0",
  );
  for (const { id } of negative) wrong.push(`The account ${id} has spent more than it had.`);
  const { rows: quotes } = await pool.query<{ request_id: string }>(
    `SELECT q.request_id FROM quotes q JOIN request_logs l ON l.request_id = q.request_id AND l.type = 2
     WHERE l.quota > q.amount OR q.charged IS DISTINCT FROM l.quota`,
  );
  for (const { request_id } of quotes) wrong.push(`${request_id} is not charged as its quote says.`);
  const outcome = await audit(pool);
  if (outcome.drift !== 0n || outcome.rows.length > 0) wrong.push(describeAudit(outcome));
  const refusals: Record<string, number> = {};
  for (const { status } of of("refused")) refusals[status] = (refusals[status] ?? 0) + 1;
  return {
    refusals,
    complete: of("complete").length,
    refused: of("refused").length,
    broken: of("broken").length,
    brokenAndCharged,
    interrupted: charges.filter(({ interrupted }) => interrupted).length,
    wrong,
  };
}

/** Checks a call that is charged up to its last checkpoint. */
function interruptedWrongly({ end, arrived }: Seen, { request_id, written }: Charge): string[] {
  if (end === "complete") return [`${request_id} was seen complete and is charged up to a checkpoint.`];
  if (arrived === undefined || arrived >= written) return [];
  return [`${request_id} is charged for ${written} tokens, and ${arrived} arrived.`];
}

/**
 * Returns whether a failed call may be charged. After an error in the middle of a response, or when the
 * account is disabled, what was delivered is charged.
 */
function mayBeCharged(status: number): boolean {
  return status === 200 || status === 401 || status === 403;
}
