import { type CallRecord, rowOf } from "#domain/ledger/call-record.ts";
import { columns, recordset, type Statement, unchargedColumns, usageHours } from "./ledger-statements.ts";
import type { Judgement } from "./verdict.ts";

/**
 * The statement of the hot path: calls that begin and calls that end, in one commit. They want the same rows of users
 * and tokens; apart, each would wait for the other's commit. It must not know how a turn gathers or is tried again.
 */

export interface ReserveInput {
  requestId: string;
  userId: number;
  /** 0 when no token is involved. */
  tokenId: number;
  amount: bigint;
  tokenAmount: bigint;
}

/** What one call wants of a turn. */
export type Step = { begin: ReserveInput; end?: never } | { begin?: never; end: CallRecord };

/** A row of the answer: `ord` is the place of the step. A step that had no effect and no refusal has no row. */
export interface TurnRow extends Judgement {
  ord: number;
}

/** The values of the statement. */
export function turnValues(steps: readonly Step[], nodeId: string): unknown[] {
  const asking: object[] = [];
  const ending: object[] = [];
  const closing: string[] = [];
  const [users, tokens] = [new Set<number>(), new Set<number>()];
  for (const [ord, { begin, end }] of steps.entries()) {
    const { userId, tokenId, requestId } = begin ?? end;
    users.add(userId);
    tokens.add(tokenId);
    if (begin !== undefined) {
      asking.push({
        ord,
        request_id: requestId,
        user_id: userId,
        token_id: tokenId,
        amount: String(begin.amount),
        token_amount: String(begin.tokenAmount),
      });
      continue;
    }
    ending.push({ ord, ...rowOf(end) });
    closing.push(requestId);
  }
  const json = [JSON.stringify(ending), JSON.stringify(asking)];
  return [...json, nodeId, [...users], [...tokens], closing];
}

/** The periods of a token's spending limits begin at midnight UTC; the database's clock is the one for all nodes. */
const today = "(now() AT TIME ZONE 'UTC')::date";
const thisMonth = "date_trunc('month', now() AT TIME ZONE 'UTC')::date";

/**
 * $1 log rows of the calls that end, $2 what the others ask to hold, $3 node, $4 user ids, $5 token ids, $6
 * request ids of the calls that end. `ord` counts through both lists.
 *
 * Answers one verdict per row of $2: granted · again (fits, but not beside the others of this turn) · taken (that
 * request id is reserved already) · balance · token · day · month · calls · user · key; `most` is the limit that a
 * refusal speaks of. Of $1 it answers `settled` for the rows whose reservation was open and is now closed, and with
 * `most` what was charged; all others had no effect at all.
 *
 * A charge above its reservation is collected as far as the balance has points that no other call holds, and as far as
 * the limits of the key allow; so neither falls below zero. What is not collected is written into the row's bill.
 *
 * What ends gives its points back before what begins is judged. The sums run over every row that would fit alone, so
 * the first of those is granted and `again` makes progress. What a token may do is read from its locked row, not from
 * what the caller remembers. Open calls hold their points against the period that is, so a call over midnight can only
 * make a limit tighter.
 */
export const turnStatement: Statement = {
  name: "ledger-turn",
  text: `
WITH ending AS MATERIALIZED (
  SELECT * FROM ${recordset}
), asking AS MATERIALIZED (
  SELECT * FROM json_to_recordset($2::json)
    AS r(ord int, request_id text, user_id int, token_id int, amount bigint, token_amount bigint)
), payer AS MATERIALIZED (
  SELECT id, quota - reserved AS free, status = 1 AND deleted_at IS NULL AS usable
  FROM users WHERE id = ANY($4::int[]) ORDER BY id FOR NO KEY UPDATE
), locked AS MATERIALIZED (
  SELECT id, user_id, unlimited_quota, remain_quota, reserved, open_calls, spent_day, day_quota, spent_month,
    month_quota, setting -> 'rates' AS rates, status = 1 AND deleted_at IS NULL AS usable
  FROM tokens WHERE id = ANY($5::int[]) AND (SELECT count(*) FROM payer) >= 0 ORDER BY id FOR NO KEY UPDATE
), ended AS MATERIALIZED (
  DELETE FROM reservations v USING ending e
  WHERE v.request_id = ANY($6::text[]) AND (SELECT count(*) FROM locked) >= 0
    AND v.request_id = e.request_id AND v.user_id = e.user_id AND v.token_id = e.token_id
  RETURNING e.*, v.amount AS held, v.token_amount AS token_held, v.slots
), room AS MATERIALIZED (
  -- What may be charged beyond the reservations: the rest of the balance, and of the key's own limits.
  SELECT c.ord,
    GREATEST(0, p.free + sum(GREATEST(0, c.held - c.quota)) OVER account) AS user_room,
    sum(GREATEST(0, c.quota - c.held)) OVER (account ORDER BY c.ord) AS user_over,
    GREATEST(0, LEAST(
      CASE WHEN NOT t.unlimited_quota THEN t.remain_quota - t.reserved END,
      CASE WHEN l.per_day > 0 THEN l.per_day - t.reserved
        - CASE WHEN t.spent_day >= ${today} THEN t.day_quota ELSE 0 END END,
      CASE WHEN l.per_month > 0 THEN l.per_month - t.reserved
        - CASE WHEN t.spent_month >= ${thisMonth} THEN t.month_quota ELSE 0 END END
    ) + sum(GREATEST(0, c.token_held - c.quota)) OVER key) AS token_room,
    sum(GREATEST(0, c.quota - c.token_held)) OVER (key ORDER BY c.ord) AS token_over,
    t.id IS NOT NULL AND NOT c.held_in_part AND (NOT t.unlimited_quota OR l.per_day > 0 OR l.per_month > 0) AS limited
  FROM ended c
  JOIN payer p ON p.id = c.user_id
  LEFT JOIN locked t ON t.id = c.token_id
  LEFT JOIN LATERAL (SELECT COALESCE((t.rates ->> 'daily_spend')::bigint, 0) AS per_day,
    COALESCE((t.rates ->> 'monthly_spend')::bigint, 0) AS per_month) l ON true
  WINDOW account AS (PARTITION BY c.user_id), key AS (PARTITION BY c.token_id)
), closed AS MATERIALIZED (
  SELECT ${unchargedColumns}, c.ord, c.cached_tokens, c.held, c.token_held, c.slots, m.charge AS quota,
    CASE WHEN m.charge < c.quota
      THEN COALESCE(c.bill, '{}') || jsonb_build_object('uncollected', (c.quota - m.charge)::text)
      ELSE c.bill END AS bill
  FROM ended c
  LEFT JOIN room r ON r.ord = c.ord
  CROSS JOIN LATERAL (SELECT CASE
    WHEN c.quota <= c.held AND (r.limited IS NOT TRUE OR c.quota <= c.token_held) THEN c.quota
    -- What was reserved is always paid, whatever became of the key's limits since.
    ELSE LEAST(
      c.quota,
      c.held + GREATEST(0, r.user_room - r.user_over + GREATEST(0, c.quota - c.held)),
      CASE WHEN r.limited THEN GREATEST(
        LEAST(c.quota, c.held),
        c.token_held + GREATEST(0, r.token_room - r.token_over + GREATEST(0, c.quota - c.token_held))) END
    )::bigint END AS charge) m
), balance AS MATERIALIZED (
  SELECT p.id, p.usable, p.free + COALESCE(c.back, 0) AS free
  FROM payer p
  LEFT JOIN (SELECT user_id, sum(held - quota)::bigint AS back FROM closed GROUP BY user_id) c ON c.user_id = p.id
), purse AS MATERIALIZED (
  SELECT t.id, t.user_id, t.usable, l.per_day, l.per_month, l.at_once,
    CASE WHEN NOT t.unlimited_quota THEN t.remain_quota - t.reserved + l.back END AS quota_free,
    CASE WHEN l.per_day > 0 THEN l.per_day - t.reserved + l.back
      - CASE WHEN t.spent_day >= ${today} THEN t.day_quota ELSE 0 END END AS day_free,
    CASE WHEN l.per_month > 0 THEN l.per_month - t.reserved + l.back
      - CASE WHEN t.spent_month >= ${thisMonth} THEN t.month_quota ELSE 0 END END AS month_free,
    CASE WHEN l.at_once > 0 THEN l.at_once - t.open_calls + l.left END AS calls_free
  FROM locked t
  LEFT JOIN (
    SELECT token_id, sum(token_held - quota)::bigint AS back, sum(slots)::int AS left FROM closed GROUP BY token_id
  ) c ON c.token_id = t.id
  CROSS JOIN LATERAL (SELECT COALESCE((t.rates ->> 'daily_spend')::bigint, 0) AS per_day,
    COALESCE((t.rates ->> 'monthly_spend')::bigint, 0) AS per_month,
    COALESCE((t.rates ->> 'concurrency')::int, 0) AS at_once,
    COALESCE(c.back, 0) AS back, COALESCE(c.left, 0) AS left) l
), judged AS MATERIALIZED (
  SELECT i.ord, i.request_id, i.user_id, i.token_id, i.amount, n.token_amount, n.slots, p.free AS free,
    LEAST(t.quota_free, t.day_free, t.month_free) AS token_free, t.calls_free, t.per_day, t.per_month, t.at_once,
    CASE
      WHEN p.usable IS NOT TRUE THEN 'user'
      WHEN i.token_id <> 0 AND t.usable IS NOT TRUE THEN 'key'
      WHEN i.amount > 0 AND i.amount > p.free THEN 'balance'
      WHEN n.token_amount > 0 AND n.token_amount > t.quota_free THEN 'token'
      WHEN n.token_amount > 0 AND n.token_amount > t.day_free THEN 'day'
      WHEN n.token_amount > 0 AND n.token_amount > t.month_free THEN 'month'
      WHEN n.slots > t.calls_free THEN 'calls'
    END AS refusal
  FROM asking i
  LEFT JOIN balance p ON p.id = i.user_id
  LEFT JOIN purse t ON t.id = i.token_id AND t.user_id = i.user_id
  CROSS JOIN LATERAL (SELECT CASE WHEN LEAST(t.quota_free, t.day_free, t.month_free) IS NULL THEN 0
    WHEN i.token_amount > 0 THEN i.token_amount ELSE i.amount END AS token_amount,
    CASE WHEN t.calls_free IS NULL THEN 0 ELSE 1 END AS slots) n
), fitting AS MATERIALIZED (
  SELECT *,
    (amount = 0 OR sum(amount) OVER (PARTITION BY user_id ORDER BY ord) <= free)
    AND (token_amount = 0 OR sum(token_amount) OVER (PARTITION BY token_id ORDER BY ord) <= token_free)
    AND (slots = 0 OR sum(slots) OVER (PARTITION BY token_id ORDER BY ord) <= calls_free) AS granted
  FROM judged WHERE refusal IS NULL
), kept AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id)
  SELECT request_id, user_id, token_id, amount, token_amount, slots, $3 FROM fitting WHERE granted ORDER BY ord
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, user_id, token_id, amount, token_amount, slots
), moved AS MATERIALIZED (
  SELECT user_id, token_id, -held AS held, -token_held AS token_held, -slots AS slots, quota AS charge,
    CASE WHEN type = 2 THEN 1 ELSE 0 END AS served, 1 AS ended FROM closed
  UNION ALL SELECT user_id, token_id, amount, token_amount, slots, 0, 0, 0 FROM kept
), move_user AS (
  UPDATE users u SET reserved = u.reserved + s.held, quota = u.quota - s.charge,
    used_quota = u.used_quota + s.charge, request_count = u.request_count + s.served
  FROM (
    SELECT user_id, sum(held)::bigint AS held, sum(charge)::bigint AS charge, sum(served) AS served,
      sum(ended) AS ended
    FROM moved GROUP BY user_id
  ) s WHERE u.id = s.user_id AND (s.held <> 0 OR s.ended > 0)
), move_token AS (
  UPDATE tokens t SET reserved = t.reserved + s.held, open_calls = t.open_calls + s.slots,
    used_quota = t.used_quota + s.charge, accessed_time = now(),
    remain_quota = CASE WHEN t.unlimited_quota THEN t.remain_quota ELSE t.remain_quota - s.charge END,
    -- A statement that began before midnight may come after one that began after it: the day never goes back.
    spent_day = GREATEST(t.spent_day, ${today}),
    day_quota = CASE WHEN t.spent_day >= ${today} THEN t.day_quota ELSE 0 END + s.charge,
    spent_month = GREATEST(t.spent_month, ${thisMonth}),
    month_quota = CASE WHEN t.spent_month >= ${thisMonth} THEN t.month_quota ELSE 0 END + s.charge
  FROM (
    SELECT token_id, sum(token_held)::bigint AS held, sum(slots)::int AS slots, sum(charge)::bigint AS charge,
      sum(ended) AS ended
    FROM moved GROUP BY token_id
  ) s WHERE t.id = s.token_id AND (s.held <> 0 OR s.slots <> 0 OR s.ended > 0)
), charge_channel AS (
  INSERT INTO channel_charges (channel_id, quota)
  SELECT channel_id, sum(quota)::bigint FROM closed WHERE quota > 0 GROUP BY channel_id
), log AS (
  INSERT INTO request_logs (${columns}) SELECT ${columns} FROM closed ORDER BY ord
), hours AS (${usageHours("closed")}
)
SELECT ord, 'settled' AS verdict, quota AS most FROM closed
UNION ALL
SELECT j.ord, CASE
    WHEN j.refusal IS NOT NULL THEN j.refusal
    WHEN NOT f.granted THEN 'again'
    WHEN k.request_id IS NULL THEN 'taken'
    ELSE 'granted'
  END,
  CASE j.refusal WHEN 'day' THEN j.per_day WHEN 'month' THEN j.per_month WHEN 'calls' THEN j.at_once END
FROM judged j
LEFT JOIN fitting f ON f.ord = j.ord
LEFT JOIN kept k ON k.request_id = j.request_id`,
};
