import { accountMoves, clock } from "#domain/ledger/batches/move-balances.ts";
import { backgroundNode, type PreparedStatement } from "#domain/ledger/batches/statements.ts";

/**
 * Calls in a lease are charged in the row of the lease, which only its node writes. These statements book the
 * charges to the rows of the account and the token, which all nodes share. The charges of a lease are a part of
 * its points until then, so that the free points of the account are the same before and after.
 */

/**
 * Parameters: $1 user ids, $2 node. Books the charges of leases of these users, of this node if it is given.
 * Charges of accounts and tokens that another transaction has locked stay. Returns the booked leases.
 */
const bookText = (locked: "" | " SKIP LOCKED") => `
WITH ${clock}, payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), purse AS MATERIALIZED (
  SELECT id FROM tokens WHERE (SELECT count(*) FROM payer) >= 0 AND id IN (
    SELECT token_id FROM reservations WHERE user_id = ANY($1::int[]) AND ended > 0 AND node_id = COALESCE($2::text, node_id)
  ) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), lease AS MATERIALIZED (
  SELECT v.request_id, v.user_id, v.token_id, v.token_amount, v.charged, v.served, v.ended
  FROM reservations v JOIN payer p ON p.id = v.user_id
  WHERE v.user_id = ANY($1::int[]) AND v.ended > 0 AND v.node_id = COALESCE($2::text, v.node_id)
    AND (v.token_id IN (SELECT id FROM purse) OR NOT EXISTS (SELECT FROM tokens t WHERE t.id = v.token_id))
  ORDER BY v.request_id FOR UPDATE OF v${locked}
), booked AS (
  UPDATE reservations v SET amount = v.amount - l.charged,
    token_amount = CASE WHEN l.token_amount > 0 THEN v.token_amount - l.charged ELSE 0 END,
    charged = 0, served = 0, ended = 0
  FROM lease l WHERE v.user_id = ANY($1::int[]) AND v.request_id = l.request_id
), moved AS MATERIALIZED (
  SELECT user_id, token_id, 0 AS held, -charged AS leased, 0 AS token_held,
    CASE WHEN token_amount > 0 THEN -charged ELSE 0 END AS token_leased, 0 AS slots, charged AS charge, served, ended,
    ended AS used FROM lease
${accountMoves})
SELECT request_id FROM lease`;

export const bookStatement: PreparedStatement = { name: "ledger-book", text: bookText("") };
/** Leases that a batch is charging now stay, too. */
export const bookIdleStatement: PreparedStatement = {
  name: "ledger-book-idle",
  text: bookText(" SKIP LOCKED"),
};

/**
 * Parameters: $1 request ids, $2 user ids, $3 token ids. Releases the points of these reservations, and books what
 * leases among them have charged. Accounts locked by another transaction are left for the next run. Reservations
 * that were handed over meanwhile stay. So do those with a checkpoint, which are charged instead.
 */
export const releaseStatement: PreparedStatement = {
  name: "ledger-release",
  text: `
WITH ${clock}, payer AS MATERIALIZED (
  SELECT id FROM users WHERE id = ANY($2::int[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), purse AS MATERIALIZED (
  SELECT id FROM tokens WHERE id = ANY($3::int[]) AND (SELECT count(*) FROM payer) >= 0
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), closed AS MATERIALIZED (
  DELETE FROM reservations v
  WHERE v.request_id = ANY($1::text[]) AND v.node_id <> '${backgroundNode}'
    AND v.checkpoint IS NULL AND v.user_id IN (SELECT id FROM payer)
    AND (v.token_id IN (SELECT id FROM purse) OR NOT EXISTS (SELECT FROM tokens t WHERE t.id = v.token_id))
  RETURNING user_id, token_id, amount, token_amount, slots, version, session_id, charged, served, ended
), moved AS MATERIALIZED (
  SELECT user_id, token_id, CASE WHEN version = 0 THEN -amount ELSE 0 END AS held,
    CASE WHEN version > 0 THEN -amount ELSE 0 END AS leased,
    CASE WHEN version = 0 THEN -token_amount ELSE 0 END AS token_held,
    CASE WHEN version > 0 THEN -token_amount ELSE 0 END AS token_leased, -slots AS slots, charged AS charge, served,
    ended, ended AS used FROM closed
${accountMoves}), give_session AS (
  UPDATE session_budgets b SET reserved = b.reserved - s.held
  FROM (SELECT session_id, sum(amount)::bigint AS held FROM closed WHERE session_id IS NOT NULL GROUP BY session_id) s
  WHERE b.id = s.session_id
)
SELECT count(*)::int AS released FROM closed`,
};
