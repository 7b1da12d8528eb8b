/** Compares what the upstream served with the log, and recomputes the balances. */
import { setTimeout as sleep } from "node:timers/promises";
import { audit, describeAudit } from "#domain/ledger/balances/audit.ts";
import type { Database } from "#platform/database/db.ts";
import type { ServedCall } from "./upstream.ts";

interface LogRow {
  id: bigint;
  type: number;
  outcome: string;
  status: number;
  content: string;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  quota: bigint;
  upstream_model: string;
}

/**
 * A cancelled response of a model that reasons is read to its end, on a busy machine for much longer than its 6 seconds.
 * Its row would then belong to the next run, which fails as well.
 */
const PATIENCE_MS = 60_000;

/** Returns the highest id of the log, so that later rows belong to the next run. */
export async function lastRow({ pool }: Database): Promise<bigint> {
  const { rows } = await pool.query<{ id: bigint }>("SELECT COALESCE(max(id), 0) AS id FROM request_logs");
  return BigInt(rows[0]?.id ?? 0);
}

/** Expected endings: all calls complete, or one call that its client left. */
export type Ending = "complete" | "left";

/** Returns one sentence per finding. Waits until no call is running any more. */
export async function checkBooks(
  database: Database,
  after: bigint,
  served: readonly ServedCall[],
  ending: Ending,
): Promise<string[]> {
  const { pool } = database;
  const chats = served.filter((call) => call.status === 200 && call.kind !== "count");
  const deadline = Date.now() + PATIENCE_MS;
  let rows: LogRow[] = [];
  let running = 0;
  do {
    await sleep(100);
    ({ rows } = await pool.query<LogRow>(
      `SELECT id, type, outcome, status, content, prompt_tokens, completion_tokens, quota, upstream_model
       FROM request_logs WHERE id > $1 AND type IN (2, 5) ORDER BY id`,
      [after],
    ));
    const open = await pool.query<{ reserved: bigint }>("SELECT sum(reserved) AS reserved FROM users");
    running = Number(open.rows[0]?.reserved ?? 0);
  } while ((rows.length < chats.length || running > 0) && Date.now() < deadline);

  const wrong: string[] = [];
  const charged = rows.filter((row) => row.type === 2);
  const failed = rows.filter((row) => row.type === 5);
  if (charged.length !== chats.length)
    wrong.push(`The upstream served ${chats.length} calls, and the log has ${charged.length}.`);
  for (const row of failed) wrong.push(`A call failed with ${row.status}: ${row.content.slice(0, 300)}`);
  const left = charged.filter((row) => row.outcome === "client-left");
  if (ending === "left" ? left.length !== 1 : left.length > 0)
    wrong.push(`${left.length} calls are recorded as left by the client.`);
  for (const row of charged) {
    if (row.outcome !== "complete" && row.outcome !== "client-left")
      wrong.push(`A call ended as ${row.outcome}.`);
    if (Number(row.quota) <= 0) wrong.push("A call was not charged.");
    if (Number(row.completion_tokens) <= 0) wrong.push("The output of a call was not counted.");
  }
  // Calls that were left have no reported usage, unless the model reasons: then they are read to their end.
  const sum = (list: readonly (number | bigint | undefined)[]) =>
    list.reduce<number>((total, value) => total + Number(value ?? 0), 0);
  const isReadOut = chats.every((call) => call.output !== undefined);
  const whole = charged.filter((row) => isReadOut || row.outcome === "complete");
  const reported = chats.filter((call) => call.output !== undefined);
  const figures: [string, number, number][] = [
    ["input", sum(reported.map((call) => call.input)), sum(whole.map((row) => row.prompt_tokens))],
    ["output", sum(reported.map((call) => call.output)), sum(whole.map((row) => row.completion_tokens))],
  ];
  for (const [name, expected, found] of figures)
    if (expected !== found)
      wrong.push(`The upstream reported ${expected} ${name} tokens; ${found} are billed.`);
  if (running > 0) wrong.push(`${running} points are still reserved.`);
  const outcome = await audit(pool);
  if (outcome.drift !== 0n) wrong.push(describeAudit(outcome));
  return wrong;
}
