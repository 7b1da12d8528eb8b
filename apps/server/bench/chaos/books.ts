import { audit, describeAudit } from "#domain/ledger/audit.ts";
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
  client: number;
  began: number;
  times: number;
  interrupted: boolean;
  written: number;
}

export async function compare(pool: Pool, seen: readonly Seen[]): Promise<Books> {
  const { rows } = await pool.query<{
    request_id: string;
    token_name: string;
    began: number;
    times: bigint;
    interrupted: boolean;
    written: bigint;
  }>(
    `SELECT request_id, min(token_name) AS token_name, extract(epoch FROM min(created_at))::float8 * 1000 AS began,
       count(*) AS times, bool_or(outcome = 'interrupted') AS interrupted, max(completion_tokens) AS written FROM request_logs WHERE type = 2 AND quota > 0 GROUP BY request_id`,
  );
  const charges = new Map<string, Charge>(
    rows.map(({ token_name, times, written, ...row }) => [
      row.request_id,
      { ...row, client: Number(token_name.split("-")[1]), times: Number(times), written: Number(written) },
    ]),
  );
  const of = (end: Seen["end"]) => seen.filter((call) => call.end === end);
  const wrong: string[] = [];
  for (const charge of charges.values())
    if (charge.times > 1) wrong.push(`${charge.request_id} was charged ${charge.times} times.`);
  const interrupted = [...charges.values()].filter((charge) => charge.interrupted);
  for (const { request_id, written } of interrupted) {
    const call = seen.find(({ requestId }) => requestId === request_id);
    if (call?.end === "complete")
      wrong.push(`${request_id} was seen complete and is charged up to a checkpoint.`);
    if (call?.arrived !== undefined && call.arrived < written)
      wrong.push(`${request_id} is charged for ${written} tokens, and ${call.arrived} arrived.`);
  }
  for (const { requestId } of of("complete"))
    if (requestId === undefined || !charges.delete(requestId))
      wrong.push(`${requestId} was seen complete and is not charged.`);
  for (const { requestId, status } of of("refused"))
    if (requestId !== undefined && charges.has(requestId) && !mayBeCharged(status))
      wrong.push(`${requestId} was refused with ${status} and is charged.`);

  // Each remaining charge must belong to the one call of its client that broke at that time.
  const unexplained = [...of("broken"), ...of("refused").filter(({ status }) => mayBeCharged(status))];
  let brokenAndCharged = 0;
  for (const charge of charges.values()) {
    const index = unexplained.findIndex(
      (call) =>
        call.client === charge.client &&
        (call.requestId === undefined
          ? call.began - 5 <= charge.began && charge.began <= call.ended + 5
          : call.requestId === charge.request_id),
    );
    if (index === -1) {
      wrong.push(
        `${charge.request_id} of client ${charge.client} is charged, and no client saw such a call.`,
      );
      continue;
    }
    unexplained.splice(index, 1);
    brokenAndCharged += 1;
  }
  const { rows: negative } = await pool.query<{ id: number }>(
    "SELECT id FROM users WHERE quota < 0 OR reserved < 0 OR leased < 0 OR quota - reserved - leased < 0",
  );
  for (const { id } of negative) wrong.push(`The account ${id} has spent more than it had.`);
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
    interrupted: interrupted.length,
    wrong,
  };
}

/**
 * Returns whether a failed call may be charged. After an error in the middle of a response, or when the
 * account is disabled, what was delivered is charged.
 */
function mayBeCharged(status: number): boolean {
  return status === 200 || status === 401 || status === 403;
}
