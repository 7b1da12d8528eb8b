/**
 * Chooses the statement of a batch and makes its parameters. It must not depend on how a batch is collected or retried.
 */
import type { Bill } from "@gateway/shared/usage/log";
import { gatewaySearch } from "#dialects/tools/search-forms.ts";
import { joinRows, type LogRowFormat, rowOf } from "#domain/ledger/calls/log-rows.ts";
import type { Decision } from "#domain/ledger/calls/refusal.ts";
import { type PreparedStatement, readStatement } from "#platform/database/prepared-statement.ts";
import {
  type DerivedKeyShare,
  type LeaseRequest,
  type LeaseRow,
  type LedgerOperation,
  payerOf,
  type ReserveInput,
  type SettleOperation,
} from "./operations.ts";

const writeBatch = readStatement(import.meta.url, "write-batch.sql");
/** The statement of batches in which calls end within leases, and nothing else happens. */
export const settleInLeases = readStatement(import.meta.url, "settle-in-leases.sql");
/** The same for a batch of one call. */
const settleCallInLease = readStatement(import.meta.url, "settle-call-in-lease.sql");

/** A result row; `ord` is the index of the operation. An operation without an effect or a refusal has no row. */
export type BatchRow = (Decision & { ord: number }) | LeaseRow;

/** The calls that end in a batch, as parallel arrays, and the request IDs of those with something more. */
interface EndingCalls {
  rows: string[];
  ords: number[];
  leases: (string | null)[];
  leaseAmounts: (string | null)[];
  cachedTokens: number[];
  partlyReserved: boolean[];
  withOwnReservation: string[];
  withQuote: string[];
  withSearches: string[];
}

function noEndingCalls(): EndingCalls {
  return {
    rows: [],
    ords: [],
    leases: [],
    leaseAmounts: [],
    cachedTokens: [],
    partlyReserved: [],
    withOwnReservation: [],
    withQuote: [],
    withSearches: [],
  };
}

function addEndingCall(
  ending: EndingCalls,
  ord: number,
  { record, call }: SettleOperation,
  logRows: Pick<LogRowFormat, "format">,
): void {
  const row = rowOf(record);
  ending.rows.push(logRows.format(row));
  ending.ords.push(ord);
  ending.leases.push(call?.lease?.id ?? null);
  ending.leaseAmounts.push(call?.lease === undefined ? null : String(call.amount));
  ending.cachedTokens.push(row.cached_tokens);
  ending.partlyReserved.push(row.held_in_part);
  if (call?.lease === undefined) ending.withOwnReservation.push(record.requestId);
  if (record.bill?.quote !== undefined) ending.withQuote.push(record.requestId);
  if (record.bill?.lines.some(isSearchLine) === true) ending.withSearches.push(record.requestId);
}

/**
 * Returns the statement for these operations and leases, with its parameter values.
 * @param part the node's rows in the roll-up
 */
export function batchOf(
  operations: readonly LedgerOperation[],
  leases: readonly LeaseRequest[],
  { nodeId, part, logRows }: { nodeId: string; part: number; logRows: Pick<LogRowFormat, "format"> },
): PreparedStatement & { values: unknown[] } {
  const beginning: object[] = [];
  const ending = noEndingCalls();
  const sessions: number[] = [];
  const derivedKeys = new Set<string>();
  const [users, tokens] = [new Set<number>(), new Set<number>()];
  for (const [ord, operation] of operations.entries()) {
    const { userId, tokenId } = payerOf(operation);
    users.add(userId);
    tokens.add(tokenId);
    if (operation.kind === "reserve") {
      const { session, derivedKeys: shares = [] } = operation.input;
      beginning.push({ ord, ...beginningCall(operation.input) });
      if (session !== undefined) sessions.push(session.id);
      for (const { id } of shares) derivedKeys.add(id);
    } else if (operation.kind === "settle") {
      addEndingCall(ending, ord, operation, logRows);
    }
  }
  const requests = JSON.stringify(leases.map((request, at) => ({ ...request, ord: operations.length + at })));
  const leaseIds = leases.map(({ id }) => id);
  const { rows, ords, cachedTokens } = ending;
  if (
    ending.withSearches.length === 0 &&
    operations.every(isWithinLease) &&
    leases.every(({ keep, target }) => keep === null && target === null)
  ) {
    const [row, lease] = [rows[0], leases[0]];
    if (rows.length === 1 && leases.length === 1 && row !== undefined && lease !== undefined) {
      const values = [row, part, cachedTokens[0], lease.id, lease.version, lease.limited];
      return { ...settleCallInLease, values };
    }
    const values = [
      part,
      [...users],
      [...tokens],
      joinRows(rows),
      ords,
      ending.leases,
      cachedTokens,
      requests,
      leaseIds,
    ];
    return { ...settleInLeases, values };
  }
  const values = [
    nodeId,
    part,
    [...users],
    [...tokens],
    joinRows(rows),
    ords,
    ending.leases,
    ending.leaseAmounts,
    cachedTokens,
    ending.partlyReserved,
    ending.withOwnReservation,
    requests,
    leaseIds,
    JSON.stringify(beginning),
    sessions,
    ending.withQuote,
    [...derivedKeys],
    ending.withSearches,
  ];
  return { ...writeBatch, values };
}

const searchKind = `tool:${gatewaySearch}`;

/** Only write-batch.sql counts searches, so calls with searches are never charged by a shorter statement. */
function isSearchLine({ kind }: Bill["lines"][number]): boolean {
  return kind === searchKind;
}

/** Returns a call that begins, as the statement reads it. */
function beginningCall(input: ReserveInput): object {
  const { requestId, userId, tokenId, amount, tokenAmount, session, derivedKeys } = input;
  return {
    request_id: requestId,
    user_id: userId,
    token_id: tokenId,
    amount: String(amount),
    token_amount: String(tokenAmount),
    ...(session && { session_id: session.id, session_limit: String(session.limit) }),
    ...(derivedKeys && {
      derived_keys: derivedKeys.map((share) => derivedKeyRow(share, derivedKeys[0]?.id)),
    }),
  };
}

/** @param rootId the first derived key of the chain */
function derivedKeyRow(
  { id, parentId, label, limit, expiresAt }: DerivedKeyShare,
  rootId: string | undefined,
): object {
  return {
    id,
    parent_id: parentId ?? null,
    root_id: rootId,
    label,
    quota: limit === undefined ? null : String(limit),
    expires_at: new Date(expiresAt),
  };
}

/** Returns whether a call costs no more than its share of a lease, so that nothing has to be checked. */
function isWithinLease(operation: LedgerOperation): boolean {
  if (operation.kind !== "settle" || operation.call?.lease === undefined) return false;
  return operation.record.quota <= operation.call.amount;
}
