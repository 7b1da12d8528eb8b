import { setTimeout as sleep } from "node:timers/promises";
import { largestAmount } from "#domain/ledger/balances/credit.ts";
import type { CircuitBreaker } from "#domain/ledger/batches/circuit-breaker.ts";
import type { LateHandler, ReservedCall, ReserveInput } from "#domain/ledger/batches/operations.ts";
import type { Shards } from "#domain/ledger/batches/shards.ts";
import type { LeaseBook } from "#domain/ledger/leases/lease-book.ts";
import { type LeaseRecalls, leasesMayHelp, recallPausesMs } from "#domain/ledger/leases/recall-leases.ts";
import { internalError, shuttingDown } from "#errors.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";
import type { TransientMap } from "#platform/memory/transient-map.ts";
import type { CallRecord } from "./call-record.ts";
import { releaseStatement } from "./node-heartbeat.ts";
import { type Decision, refusalOf, requestIdTaken, waitsForOthers } from "./refusal.ts";
import { openSession, sessionPausesMs, type SessionState } from "./session-budgets.ts";

/** The calls of this node, from their reservation to their charge. See `Ledger`. */
export interface OpenCalls {
  reserve(input: ReserveInput): Promise<void>;
  openSession(userId: number, session: string): Promise<SessionState | undefined>;
  raise(input: ReserveInput): Promise<void>;
  /** @param onLate asked after the usual wait for the database whether to go on trying */
  settle(record: CallRecord, onLate?: LateHandler): Promise<"settled" | "gone">;
  forget(requestId: string): void;
}

export interface OpenCallOptions {
  /** By request id, from the start of their reserve to the end of their settle. Read by others. */
  open: TransientMap<string, ReservedCall>;
  pool: Pool;
  book: LeaseBook;
  breaker: Pick<CircuitBreaker, "outage" | "refusalError">;
  shards: Pick<Shards, "add">;
  recalls: Pick<LeaseRecalls, "recallEverywhere">;
  pointsPerUsd: () => number;
  /** Returns whether other nodes see this one, so that calls may begin in its leases. */
  isAlive(): boolean;
  /** Returns true while this node is stopping: calls no longer begin, and none waits for another. */
  isClosing(): boolean;
  /** Called after a call was charged whose points were in a lease. */
  onLeaseCharge(userId: number): void;
  /** Called after a call was charged. */
  onCharge(): void;
}

export function createOpenCalls(options: OpenCallOptions): OpenCalls {
  const { open, pool, book, breaker, shards, recalls, isClosing } = options;

  function requireDatabase(): void {
    const refused = breaker.refusalError();
    if (refused !== undefined) throw refused;
  }

  /**
   * Makes a reservation of its own. Before it is refused, all nodes give back the leased points that they do
   * not need, and it waits for other calls of its session or derived key.
   */
  async function insertReservation(input: ReserveInput): Promise<Decision> {
    let decision = await shards.add({ kind: "reserve", input });
    for (const pauseMs of recallPausesMs) {
      if (!leasesMayHelp(decision) || isClosing()) break;
      await recalls.recallEverywhere(input.userId);
      await sleep(pauseMs);
      decision = await shards.add({ kind: "reserve", input });
    }
    for (const pauseMs of sessionPausesMs) {
      if (!waitsForOthers(decision) || isClosing() || input.waitsForOthers === false) break;
      await sleep(pauseMs);
      decision = await shards.add({ kind: "reserve", input });
    }
    return decision;
  }

  async function reserve(input: ReserveInput): Promise<void> {
    checkAmount(input.amount);
    checkAmount(input.tokenAmount);
    if (isClosing()) throw shuttingDown();
    requireDatabase();
    if (open.get(input.requestId) !== undefined) throw requestIdTaken();
    // Without leases, calls wait for the failing database before they cost anything at a provider.
    const mayLease =
      input.own !== true &&
      input.session === undefined &&
      input.derivedKeys === undefined &&
      breaker.outage() === undefined &&
      options.isAlive();
    const call = book.beginCall(input, mayLease);
    open.set(input.requestId, call);
    if (call.lease !== undefined) return;
    let decision: Decision = { verdict: "taken" };
    try {
      decision = await insertReservation(input);
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    } finally {
      if (decision.verdict !== "granted") {
        open.delete(input.requestId);
        book.endCall(call, true);
      }
    }
    const { derivedKeys } = input;
    const refusal = refusalOf(decision, { pointsPerUsd: options.pointsPerUsd(), derivedKeys });
    if (refusal !== undefined) throw refusal;
  }

  return {
    reserve,

    async openSession(userId, session) {
      requireDatabase();
      try {
        return await openSession(pool, userId, session);
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      }
    },

    async raise(input) {
      const { requestId, userId, tokenId } = input;
      const call = open.get(requestId);
      if (call !== undefined && book.changeAmount(call, input.amount)) return;
      try {
        if (call?.lease === undefined) {
          const values = [[requestId], [userId], [tokenId]];
          await pool.query({ ...releaseStatement, values });
        }
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      } finally {
        // The release of forgotten reservations frees whatever is still reserved.
        open.delete(requestId);
        if (call !== undefined) book.endCall(call, true);
      }
      await reserve(input);
    },

    async settle(record, onLate) {
      const { requestId } = record;
      const call = open.get(requestId);
      // A call in a lease has no row. Only this entry marks it as open.
      if (call?.lease !== undefined) open.delete(requestId);
      let clear = false;
      try {
        checkAmount(record.quota);
        if (call !== undefined) {
          call.isEnding = true;
          book.extendAmount(call, record.quota);
        }
        const { verdict } = await shards.add({ kind: "settle", record, call, onLate });
        clear = true;
        if (verdict === "settled") {
          if (record.quota > 0n) options.onCharge();
          if (call?.lease !== undefined) options.onLeaseCharge(record.userId);
        }
        return verdict === "settled" ? "settled" : "gone";
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      } finally {
        if (open.get(requestId) === call) open.delete(requestId);
        if (call !== undefined) book.endCall(call, clear);
      }
    },

    forget(requestId) {
      const call = open.get(requestId);
      if (call === undefined) return;
      open.delete(requestId);
      book.endCall(call, true);
    },
  };
}

/** Throws `internal` unless this number of points can be reserved or charged. */
function checkAmount(amount: bigint): void {
  if (amount < 0n || amount > largestAmount)
    throw internalError(new Error(`An amount of ${amount} points cannot be reserved or charged.`));
}
