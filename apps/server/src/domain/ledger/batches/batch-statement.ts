import { rowOf } from "#domain/ledger/calls/call-record.ts";
import { rowset, joinRows, formatRow } from "#domain/ledger/calls/log-rows.ts";
import type { Decision } from "#domain/ledger/calls/refusal.ts";
import { session } from "#domain/ledger/calls/session-budgets.ts";
import {
  lease,
  type LeaseRequest,
  type LeaseRow,
  onlyLeasedText,
} from "#domain/ledger/leases/lease-statements.ts";
import {
  budgetColumns,
  budgets,
  refusedLimit,
  refusedUntil,
  tokenFree,
  tokenLimits,
} from "./limit-statements.ts";
import { clock, moves } from "./move-balances.ts";
import { payerOf, type LedgerOperation } from "./operations.ts";
import { type PreparedStatement, unchargedColumns } from "./statements.ts";

/**
 * The hot path's statement: commits beginning calls, ending calls and leases together. They update the same
 * rows of users and tokens, so separate statements would wait for each other's commit. This module must not
 * depend on how a batch is collected or retried.
 */

/** A result row; `ord` is the index of the operation. An operation without an effect or a refusal has no row. */
export type BatchRow = (Decision & { ord: number }) | LeaseRow;

/**
 * Returns the statement for these operations and leases, with its parameter values.
 * @param part the node's rows in the roll-up
 */
export function batchOf(
  operations: readonly LedgerOperation[],
  leases: readonly LeaseRequest[],
  { nodeId, part }: { nodeId: string; part: number },
): PreparedStatement & { values: unknown[] } {
  const asking: object[] = [];
  const ending: string[] = [];
  const closing: string[] = [];
  const [users, tokens] = [new Set<number>(), new Set<number>()];
  let sessions: number[] | undefined;
  for (const [ord, operation] of operations.entries()) {
    const { userId, tokenId } = payerOf(operation);
    users.add(userId);
    tokens.add(tokenId);
    if (operation.reserve !== undefined) {
      const { requestId, amount, tokenAmount, session: of } = operation.reserve;
      asking.push({
        ord,
        request_id: requestId,
        user_id: userId,
        token_id: tokenId,
        amount: String(amount),
        token_amount: String(tokenAmount),
        ...(of === undefined ? {} : { session_id: of.id, session_limit: String(of.limit) }),
      });
      if (of !== undefined) (sessions ??= []).push(of.id);
    } else if (operation.settle !== undefined) {
      const { call } = operation;
      const shared = call?.lease;
      // Of a call that another node began, only its reservation knows the session.
      if (call === undefined || call.inSession) sessions ??= [];
      if (shared === undefined) closing.push(operation.settle.requestId);
      const lease = shared && { id: shared.id, reserved: call?.amount ?? 0n };
      ending.push(formatRow(rowOf(operation.settle), { ord, part, ...(lease && { lease }) }));
    }
  }
  const requested = JSON.stringify(
    leases.map((request, at) => ({ ...request, ord: operations.length + at })),
  );
  const ids = leases.map(({ id }) => id);
  const [row] = ending;
  const isLeased =
    operations.every(isWithinLease) && leases.every(({ keep, target }) => keep === null && target === null);
  if (isLeased && operations.length === 1 && leases.length === 1 && row !== undefined) {
    const [{ id, version, limited }] = leases as [LeaseRequest];
    return { ...leasedCallStatement, values: [row, id, version, limited] };
  }
  const input: unknown[] = [joinRows(ending), [...users], [...tokens]];
  if (isLeased) return { ...onlyLeasedStatement, values: [...input, requested, ids] };
  const values = [...input, closing];
  if (sessions !== undefined)
    return {
      ...sessionStatement,
      values: [...values, nodeId, requested, ids, JSON.stringify(asking), sessions],
    };
  if (asking.length === 0 && leases.length === 0) return { ...settleStatement, values };
  values.push(nodeId);
  if (leases.length === 0) return { ...reserveStatement, values: [...values, JSON.stringify(asking)] };
  values.push(requested, ids);
  if (asking.length === 0) return { ...leasedStatement, values };
  return { ...fullStatement, values: [...values, JSON.stringify(asking)] };
}

/** Returns whether a call costs no more than its share of a lease, so that nothing has to be checked. */
function isWithinLease(operation: LedgerOperation): boolean {
  if (operation.settle === undefined || operation.call?.lease === undefined) return false;
  return operation.settle.quota <= operation.call.amount;
}

interface Parts {
  /** Number of the parameter that contains the calls that begin. */
  begins: number | undefined;
  leases: boolean;
  /** Number of the parameter with the sessions of the calls that begin, in batches with session budgets. */
  sessions?: number;
}

/**
 * Parameters: $1 log rows of the calls that end, $2 user ids, $3 token ids, $4 request ids of ending calls
 * with a reservation of their own, $5 node, $6 leases, $7 lease ids, then the calls that begin. `ord` is
 * numbered across all lists. The statement omits parts that the batch does not need. With session budgets, $9
 * contains the sessions of the calls that begin.
 *
 * Returns one verdict per call that begins: granted · again (fits alone, but not together with the others of
 * this batch) · taken (the request id already has a reservation) · balance · account_day · account_week ·
 * account_month · session (its budget does not cover the call) · session_busy (other calls have reserved the
 * rest of it) · token · day · week · month · calls · user · key. `most` is the limit that caused the
 * refusal. For `balance` and `token` it is the number of points in leases. `until` is the end of the limit's
 * period. For $1 it returns `settled` for rows whose reservation was open and is now closed, with the charge
 * in `most`. Other rows of $1 had no effect.
 *
 * A charge above its reservation is collected up to the free points of the balance and the account's budget.
 * The balance never falls below zero. The uncollected part is written into the row's bill. The limits of the
 * key and of the session do not reduce a charge: their owner could set them to pay less than the call cost.
 *
 * Ending calls return their points before beginning calls are checked. The running sums include every row
 * that would fit alone. The first of them is always granted, so `again` makes progress. A token's limits are
 * read from its locked row, not from the caller's cache. Open calls count against the current period, so a
 * call over midnight can only make a limit tighter.
 */
function batchText({ begins, leases, sessions }: Parts): string {
  const inSessions = sessions !== undefined;
  const decides = begins !== undefined || leases;
  return `
WITH ${clock}, ending AS MATERIALIZED (
  SELECT * FROM ${rowset}${leases ? lease.input(6) : ""}
), payer AS MATERIALIZED (
  SELECT id, quota - reserved - leased AS free, status = 1 AND deleted_at IS NULL AS usable, ${budgetColumns}
  FROM users WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE
), locked AS MATERIALIZED (
  SELECT id, user_id, unlimited_quota, remain_quota, reserved + leased AS reserved, open_calls, spent_day, day_quota, week_quota,
    month_quota, budget, setting -> 'rates' AS rates, status = 1 AND deleted_at IS NULL AS usable
  FROM tokens WHERE id = ANY($3::int[]) AND (SELECT count(*) FROM payer) >= 0 ORDER BY id FOR NO KEY UPDATE${budgets}${inSessions ? session.locked(sessions) : ""}
), own AS MATERIALIZED (
  DELETE FROM reservations v USING ending e
  WHERE v.request_id = ANY($4::text[]) AND (SELECT count(*) FROM locked) >= 0
    AND v.request_id = e.request_id AND v.user_id = e.user_id AND v.token_id = e.token_id AND v.version = 0
  RETURNING e.*, v.amount AS held, v.token_amount AS token_held, v.slots, true AS own${inSessions ? session.reserved : ""}${leases ? lease.locked(7) : ""}
), ended AS MATERIALIZED (
  SELECT * FROM own${leases ? lease.ended(inSessions ? session.none : "") : ""}
), room AS MATERIALIZED (
  -- What may be charged beyond the reservations: the rest of the balance and of the account's budget.
  SELECT c.ord,
    GREATEST(0, LEAST(p.free, CASE WHEN NOT c.held_in_part THEN LEAST(b.day_free, b.week_free, b.month_free) END)
      + sum(CASE WHEN c.own THEN GREATEST(0, c.held - c.quota) ELSE 0 END) OVER account) AS user_room,
    sum(GREATEST(0, c.quota - c.held)) OVER (account ORDER BY c.ord) AS user_over
  FROM ended c
  JOIN payer p ON p.id = c.user_id
  LEFT JOIN limits b ON b.id = c.user_id
  WINDOW account AS (PARTITION BY c.user_id)
), closed AS MATERIALIZED (
  -- What is left of a reservation of its own is free again, of a share of a lease it stays in the lease.
  SELECT ${unchargedColumns}, c.ord, c.cached_tokens, c.part, c.lease, c.slots, c.own, ${inSessions ? "c.session_id, " : ""}m.charge AS quota,
    CASE WHEN c.own THEN c.held ELSE LEAST(c.held, m.charge) END AS taken,
    CASE WHEN c.own THEN c.token_held ELSE LEAST(c.token_held, m.charge) END AS token_taken,
    CASE WHEN m.charge < c.quota
      THEN COALESCE(c.bill, '{}') || jsonb_build_object('uncollected', (c.quota - m.charge)::text)
      ELSE c.bill END AS bill
  FROM ended c
  LEFT JOIN room r ON r.ord = c.ord
  CROSS JOIN LATERAL (SELECT CASE WHEN c.quota <= c.held THEN c.quota
    ELSE LEAST(c.quota, c.held + GREATEST(0, r.user_room - r.user_over + GREATEST(0, c.quota - c.held))
    )::bigint END AS charge) m${decides ? deciding : ""}${inSessions ? session.left : ""}${begins === undefined ? "" : beginning(begins, inSessions)}${
      leases ? lease.changes(begins === undefined ? nothingGranted : grantedHere) : ""
    }
), moved AS MATERIALIZED (
  SELECT user_id, token_id, CASE WHEN own THEN -taken ELSE 0 END AS held, CASE WHEN own THEN 0 ELSE -taken END AS leased,
    CASE WHEN own THEN -token_taken ELSE 0 END AS token_held, CASE WHEN own THEN 0 ELSE -token_taken END AS token_leased,
    -slots AS slots, quota AS charge, CASE WHEN type = 2 THEN 1 ELSE 0 END AS served, 1 AS ended, 1 AS used FROM closed${
      begins === undefined
        ? ""
        : "\n  UNION ALL SELECT user_id, token_id, amount, 0, token_amount, 0, slots, 0, 0, 0, 1 FROM kept"
    }${leases ? lease.moved : ""}
${inSessions ? session.moves : ""}${moves}
SELECT ord, 'settled' AS verdict, quota AS most, NULL::timestamptz AS until FROM closed${begins === undefined ? "" : answers(inSessions)}${
    leases ? lease.answer : ""
  }`;
}

/** SQL that computes the free points of accounts and keys after the ending calls. */
const deciding = `
), balance AS MATERIALIZED (
  SELECT p.id, p.usable, p.free + o.back AS free, b.id IS NOT NULL AS limited, b.per_day, b.per_week, b.per_month,
    b.day_free + o.back AS day_free, b.week_free + o.back AS week_free, b.month_free + o.back AS month_free
  FROM payer p
  LEFT JOIN limits b ON b.id = p.id
  LEFT JOIN (SELECT user_id, sum(taken - quota)::bigint AS back FROM closed GROUP BY user_id) c ON c.user_id = p.id
  CROSS JOIN LATERAL (SELECT COALESCE(c.back, 0) AS back) o
), purse AS MATERIALIZED (
  SELECT t.id, t.user_id, t.usable, l.per_day, l.per_week, l.per_month, l.at_once,
    CASE WHEN NOT t.unlimited_quota THEN t.remain_quota - t.reserved + o.back END AS quota_free,
    ${tokenFree("day")} + o.back AS day_free, ${tokenFree("week")} + o.back AS week_free,
    ${tokenFree("month")} + o.back AS month_free,
    CASE WHEN l.at_once > 0 THEN l.at_once - t.open_calls + o.left END AS calls_free
  FROM locked t
  CROSS JOIN clock k
  LEFT JOIN (
    SELECT token_id, sum(token_taken - quota)::bigint AS back, sum(slots)::int AS left FROM closed GROUP BY token_id
  ) c ON c.token_id = t.id
  CROSS JOIN LATERAL (SELECT COALESCE(c.back, 0) AS back, COALESCE(c.left, 0) AS left) o
  CROSS JOIN LATERAL (${tokenLimits}) l`;

const beginning = (parameter: number, inSessions: boolean) => `
), asking AS MATERIALIZED (
  SELECT * FROM json_to_recordset($${parameter}::json) AS r(ord int, request_id text, user_id int, token_id int,
    amount bigint, token_amount bigint${inSessions ? session.columns : ""})
), decided AS MATERIALIZED (
  SELECT i.ord, i.request_id, i.user_id, i.token_id, i.amount, n.token_amount, n.slots,
    LEAST(p.free, p.day_free, p.week_free, p.month_free) AS free,
    LEAST(t.quota_free, t.day_free, t.week_free, t.month_free) AS token_free, t.calls_free, t.per_day, t.per_week,
    t.per_month, t.at_once, p.per_day AS account_per_day, p.per_week AS account_per_week,
    p.per_month AS account_per_month,${inSessions ? session.decided : ""}
    CASE
      WHEN p.usable IS NOT TRUE THEN 'user'
      WHEN i.token_id <> 0 AND t.usable IS NOT TRUE THEN 'key'
      WHEN i.amount > 0 AND i.amount > p.free THEN 'balance'
      WHEN i.amount > 0 AND i.amount > p.month_free THEN 'account_month'
      WHEN i.amount > 0 AND i.amount > p.week_free THEN 'account_week'
      WHEN i.amount > 0 AND i.amount > p.day_free THEN 'account_day'${inSessions ? session.refusals : ""}
      WHEN n.token_amount > 0 AND n.token_amount > t.quota_free THEN 'token'
      WHEN n.token_amount > 0 AND n.token_amount > t.day_free THEN 'day'
      WHEN n.token_amount > 0 AND n.token_amount > t.week_free THEN 'week'
      WHEN n.token_amount > 0 AND n.token_amount > t.month_free THEN 'month'
      WHEN n.slots > t.calls_free THEN 'calls'
    END AS refusal
  FROM asking i
  LEFT JOIN balance p ON p.id = i.user_id
  LEFT JOIN purse t ON t.id = i.token_id AND t.user_id = i.user_id${inSessions ? session.shareOf : ""}
  CROSS JOIN LATERAL (SELECT CASE WHEN LEAST(t.quota_free, t.day_free, t.week_free, t.month_free) IS NULL THEN 0
    WHEN i.token_amount > 0 THEN i.token_amount ELSE i.amount END AS token_amount,
    CASE WHEN t.calls_free IS NULL THEN 0 ELSE 1 END AS slots) n
), fitting AS MATERIALIZED (
  SELECT *,
    (amount = 0 OR sum(amount) OVER (PARTITION BY user_id ORDER BY ord) <= free)
    AND (token_amount = 0 OR sum(token_amount) OVER (PARTITION BY token_id ORDER BY ord) <= token_free)
    AND (slots = 0 OR sum(slots) OVER (PARTITION BY token_id ORDER BY ord) <= calls_free)${
      inSessions ? session.fits : ""
    } AS granted
  FROM decided WHERE refusal IS NULL
), kept AS (
  INSERT INTO reservations (request_id, user_id, token_id, amount, token_amount, slots, node_id${inSessions ? session.names : ""})
  SELECT request_id, user_id, token_id, amount, token_amount, slots, $5${inSessions ? session.names : ""}
  FROM fitting WHERE granted ORDER BY ord
  ON CONFLICT (request_id) DO NOTHING
  RETURNING request_id, user_id, token_id, amount, token_amount, slots${inSessions ? ", session_id" : ""}`;

const nothingGranted = { user: "0", token: "0" };
const grantedHere = {
  user: "(SELECT COALESCE(sum(f.amount), 0) FROM fitting f WHERE f.granted AND f.user_id = w.user_id)",
  token:
    "(SELECT COALESCE(sum(f.token_amount), 0) FROM fitting f WHERE f.granted AND f.token_id = w.token_id)",
};

const answers = (inSessions: boolean) => `
UNION ALL
SELECT j.ord, CASE
    WHEN j.refusal IS NOT NULL THEN j.refusal
    WHEN NOT f.granted THEN 'again'
    WHEN k.request_id IS NULL THEN 'taken'
    ELSE 'granted'
  END,
  CASE j.refusal${refusedLimit}${inSessions ? session.refusedLimit : ""} WHEN 'calls' THEN j.at_once
    WHEN 'balance' THEN (SELECT sum(v.amount - v.charged)::bigint FROM reservations v WHERE v.user_id = j.user_id AND v.version > 0)
    WHEN 'token' THEN (SELECT sum(v.token_amount - v.charged)::bigint FROM reservations v
      WHERE v.user_id = j.user_id AND v.token_id = j.token_id AND v.version > 0 AND v.token_amount > 0) END,
  CASE WHEN j.refusal IS NOT NULL THEN ${refusedUntil} END
FROM decided j
LEFT JOIN fitting f ON f.ord = j.ord
LEFT JOIN kept k ON k.request_id = j.request_id`;

/** Prepared once per connection. Each variant serves the batches that need only its parts. */
const settleStatement: PreparedStatement = {
  name: "ledger-settle",
  text: batchText({ begins: undefined, leases: false }),
};
const leasedStatement: PreparedStatement = {
  name: "ledger-leased",
  text: batchText({ begins: undefined, leases: true }),
};
/** The function is in the migration `settle_leased_call`. */
const leasedCallStatement: PreparedStatement = {
  name: "ledger-leased-call",
  text: "SELECT ord, verdict, most FROM settle_leased_call($1, $2, $3, $4)",
};
const onlyLeasedStatement: PreparedStatement = { name: "ledger-only-leased", text: onlyLeasedText };
const reserveStatement: PreparedStatement = {
  name: "ledger-batch",
  text: batchText({ begins: 6, leases: false }),
};
const fullStatement: PreparedStatement = {
  name: "ledger-full",
  text: batchText({ begins: 8, leases: true }),
};
const sessionStatement: PreparedStatement = {
  name: "ledger-sessions",
  text: batchText({ begins: 8, leases: true, sessions: 9 }),
};
