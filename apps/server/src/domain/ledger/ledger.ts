import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { shuttingDown } from "#errors.ts";
import { type Activity, alwaysActive } from "#platform/activity.ts";
import { databaseTrouble, isDiskFull } from "#platform/database/connection-loss.ts";
import { type Connection, openConnection } from "#platform/database/connection.ts";
import { type Database, types } from "#platform/database/db.ts";
import { TransientMap } from "#platform/memory/transient-map.ts";
import { checkAmount } from "./balances/amounts.ts";
import { type CircuitBreaker, createCircuitBreaker, diskProbeStatement } from "./batches/circuit-breaker.ts";
import type {
  LateHandler,
  LeaseSelector,
  ReservedCall,
  ReserveInput,
  LedgerOperation,
} from "./batches/operations.ts";
import { createShards, type Shards } from "./batches/shards.ts";
import { createBookings } from "./bookings/book-charges.ts";
import { releaseStatement } from "./bookings/booking-statements.ts";
import { createChannelChargeCollector } from "./bookings/collect-channel-charges.ts";
import { createLateSettlements, type LateSettlements } from "./calls/late-settlements.ts";
import { createRefusedCallLog } from "./calls/log-refused-calls.ts";
import { createLogRowFormat } from "./calls/log-rows.ts";
import { createNodeHeartbeat, heartbeatStatement, type NodeHeartbeat } from "./calls/node-heartbeat.ts";
import { type Decision, refusalOf, requestIdTaken, waitsForOthers } from "./calls/refusal.ts";
import { openSession, sessionPausesMs, type SessionState } from "./calls/session-budgets.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints/write-checkpoints.ts";
import { LeaseBook, type LeaseTotals } from "./leases/lease-book.ts";
import {
  createLeaseRecalls,
  type LeaseRecalls,
  leasesMayHelp,
  recallPausesMs,
} from "./leases/recall-leases.ts";

/**
 * Moves balances for calls: reserve, settle, release. Only domain/ledger writes balances. It must
 * not depend on prices, channel health or HTTP; amounts are whole points.
 */
export interface Ledger {
  /**
   * Reserves points of a user for a call, and of a token with a limit, and counts the call as concurrent.
   * Throws `insufficient_quota`, `budget_exceeded`, `token_quota_exhausted`, `spend_limit_reached` or
   * `rate_limit_exceeded`, in a session with a budget `session_budget_exhausted`, and with a revoked derived key
   * `invalid_api_key`. A `tokenAmount` of 0n means that the token's share equals the user's.
   */
  reserve(input: ReserveInput): Promise<void>;
  /**
   * Returns the state of a session of a user, for the calls that count against its budget. Undefined for a new
   * session of an account without a balance.
   * @param session at most 64 characters
   */
  openSession(userId: number, session: string): Promise<SessionState | undefined>;
  /**
   * Reserves a new amount for a call that costs more than reserved. The old reservation is released first, so
   * after an error nothing is reserved. Throws the same errors as `reserve`.
   */
  raise(input: ReserveInput): Promise<void>;
  /**
   * Closes the reservation, charges `record.quota` (0n releases), and writes the log row and the roll-up,
   * once. Returns "gone" when no reservation was open: nothing was charged or written. Returns "pending" when the
   * database is away for too long to wait: this node writes it when the database is back. The caller may go on as
   * after "settled", and must not report a failure.
   * @param isShared other nodes may settle the call, too: throws `unavailable` instead of returning "pending"
   */
  settle(record: CallRecord, isShared?: boolean): Promise<SettleResult>;
  /**
   * Stores what these long calls would be charged if this node died now. A call with points in a lease gets a
   * reservation of its own. Never throws; calls that are not open are skipped.
   */
  checkpoint(records: readonly CallRecord[]): Promise<void>;
  /**
   * Forgets a reservation that was handed over: any node may settle it.
   * See domain/responses/background.ts.
   */
  forgetCall(requestId: string): void;
  /**
   * Gives back the points of this node's leases that open calls do not need. Used when an account's points
   * are needed elsewhere or its rights have changed. Resolves after the commit.
   */
  recall(of: LeaseSelector): Promise<void>;
  /**
   * Writes the log row of a call that was refused before it had a reservation.
   * Resolves when it is written or given up.
   */
  logRefused(record: CallRecord): Promise<void>;
  /**
   * Returns how long the database has been failing, and the age of the oldest call that waits for a batch.
   * Undefined while nothing waits and nothing fails.
   */
  trouble(): LedgerTrouble | undefined;
  /** Returns how much waits for the database, and the leases of this node. For metrics. */
  load(): LedgerLoad;
  /**
   * Registers this node and starts the release of abandoned reservations. Call it before the first reserve.
   */
  start(): Promise<void>;
  /** Waits for operations in progress, releases the remaining reservations and unregisters this node. */
  close(): Promise<void>;
}

type SettleResult = "settled" | "gone" | "pending";

export interface LedgerLoad extends LeaseTotals {
  /** Operations that wait for a batch or are in one. */
  queued: number;
  /** Ended calls whose charge waits for a database that is away. */
  pending: number;
}

export interface LedgerTrouble {
  failingMs: number;
  batchMs: number;
  error: unknown;
}

export interface LedgerOptions {
  /** Default: the node never rests. */
  activity?: Pick<Activity, "isResting" | "onWake">;
  database: Pick<Database, "pool" | "url" | "applicationName" | "dropSilent">;
  /** Unique to this process. */
  nodeId: string;
  /** Receives background errors: heartbeats, releases, log rows of refused calls, an unavailable database. */
  /** `from` is set when only the database can be the cause. */
  onError: (error: unknown, from?: "database") => void;
  /** The site's rate, for amounts in messages. The default is that of a new site. */
  pointsPerUsd?: () => number;
  /** Asks every node, including this one, to `recall` the leases of an account. */
  askForLeases?: (userId: number) => Promise<void>;
  /** Idle time after which a lease is given back, in milliseconds. 0 disables leases. */
  leaseIdleMs?: number;
  /** For tests: number of calls, counted since the key was idle, after which the key gets a lease. */
  callsBeforeLease?: number;
  /** Called after every completed batch, with its number of operations and its duration. */
  onBatch?: (operations: number, milliseconds: number) => void;
  /** Called with the number of checkpoints that were written. */
  onCheckpoints?: (calls: number) => void;
  /** Number of parallel batches, each on its own connection. All calls of an account use the same one. */
  shards?: number;
  /** For tests: how long statements are retried after a lost connection, and the timing of heartbeats. */
  retryForMs?: number;
  beatMs?: number;
  silentAfterMs?: number;
  /** For tests: when a batch counts as lost, its lock timeout, and when calls are refused immediately. */
  silentMs?: number;
  lockMs?: number;
  openAfterMs?: number;
}

const maxRows = 200;
/** Measured in docs/benchmarks.md. */
const defaultShards = 2;
/** Retry limit for calls that have not begun while the disk is full, where a long wait is not worthwhile. */
const beginOnFullDiskMs = 2_000;
const longestBeginMs = 10_000;
const controlSilentMs = 4_000;
const leaseIdleMs = 5_000;
const callsBeforeLease = 4;

function connect({ database, lockMs = 250 }: LedgerOptions, silentMs: number): Connection {
  return openConnection({
    url: database.url,
    applicationName: database.applicationName,
    statementMs: Math.ceil(silentMs * 0.8),
    lockMs,
    silentMs,
    types,
    plansOnce: true,
  });
}

function breakerOver(control: Connection, { nodeId, onError, openAfterMs = longestBeginMs }: LedgerOptions) {
  return createCircuitBreaker({
    openAfterMs,
    async probe(full) {
      await control.query({ ...heartbeatStatement, values: [nodeId] });
      if (full) await control.query({ text: diskProbeStatement.text });
    },
    onChange: (message, cause) => onError(new Error(message, { cause }), "database"),
  });
}

/** Returns how long an operation is retried before its caller gets an error, in milliseconds. */
function waitOf({ reserve }: LedgerOperation, breaker: CircuitBreaker, retryForMs: number): number {
  if (reserve === undefined) return retryForMs;
  const isFull = isDiskFull(breaker.outage()?.error);
  return Math.min(retryForMs, isFull ? beginOnFullDiskMs : longestBeginMs);
}

/** Returns a number for the node's rows in the roll-up. Two nodes have the same one in one of 32,768 cases. */
function partOf(nodeId: string): number {
  return createHash("sha256").update(nodeId).digest().readUInt16BE() >> 1;
}

export function createLedger(options: LedgerOptions): Ledger {
  return new PostgresLedger(options);
}

class PostgresLedger implements Ledger {
  readonly #options: LedgerOptions;
  /** Open calls by request id, from the start of their reserve to the end of their settle. */
  readonly #open = new TransientMap<string, ReservedCall>();
  readonly #book: LeaseBook;
  /** Connection for operations that must not wait for a batch: heartbeats, releases and health probes. */
  readonly #control: Connection;
  readonly #breaker: CircuitBreaker;
  readonly #shards: Shards;
  readonly #heartbeat: NodeHeartbeat;
  readonly #recalls: LeaseRecalls;
  readonly #checkpoints: Checkpoints;
  readonly #lateSettlements: LateSettlements;
  readonly #bookings: ReturnType<typeof createBookings>;
  readonly #channelCharges: ReturnType<typeof createChannelChargeCollector>;
  readonly #refusedCalls: ReturnType<typeof createRefusedCallLog>;
  #isClosing = false;

  constructor(options: LedgerOptions) {
    const {
      database,
      nodeId,
      onError,
      retryForMs = 15_000,
      silentMs = 10_000,
      beatMs,
      silentAfterMs,
      activity = alwaysActive,
    } = options;
    const part = partOf(nodeId);
    const logRows = createLogRowFormat();
    this.#options = options;
    this.#book = new LeaseBook({
      idleMs: options.leaseIdleMs ?? leaseIdleMs,
      callsBefore: options.callsBeforeLease ?? callsBeforeLease,
      now: () => performance.now(),
    });
    const book = this.#book;
    this.#control = connect(options, controlSilentMs);
    const connection = this.#control;
    this.#breaker = breakerOver(connection, options);
    const breaker = this.#breaker;
    this.#shards = createShards({
      count: options.shards ?? defaultShards,
      nodeId,
      part,
      logRows,
      book,
      connect: () => connect(options, silentMs),
      onSilence: database.dropSilent,
      maxRows,
      breaker,
      retryForMs: (operation) => waitOf(operation, breaker, retryForMs),
      ...(options.onBatch && { onBatch: options.onBatch }),
    });
    const shards = this.#shards;
    this.#channelCharges = createChannelChargeCollector(database.pool, activity, onError);
    this.#checkpoints = createCheckpoints({
      connection,
      nodeId,
      shards,
      open: this.#open,
      mayTakeOver: () => !this.#isClosing,
      onError,
      onCharge: this.#channelCharges.charged,
      onCheckpoints: (calls) => options.onCheckpoints?.(calls),
    });
    this.#heartbeat = createNodeHeartbeat({
      activity,
      connection,
      nodeId,
      onError,
      isOpen: (id) => this.#open.get(id) !== undefined || book.has(id),
      settleAbandoned: (rows) => this.#checkpoints.settleAbandoned(rows),
      ...(beatMs !== undefined && { beatMs }),
      ...(silentAfterMs !== undefined && { silentAfterMs }),
    });
    this.#bookings = createBookings({ activity, connection, nodeId, book, onError });
    const askOthers = async (userId: number) => options.askForLeases?.(userId);
    this.#recalls = createLeaseRecalls({ activity, book, shards, onError, askOthers });
    this.#refusedCalls = createRefusedCallLog({
      pool: database.pool,
      part,
      logRows,
      onError,
      maxRows,
      retryForMs,
    });
    this.#lateSettlements = createLateSettlements({
      settle: (record, onLate) => this.#settle(record, onLate),
      shards,
      connection,
      isClosing: () => this.#isClosing,
      onError,
    });
  }

  async reserve(input: ReserveInput): Promise<void> {
    checkAmount(input.amount);
    checkAmount(input.tokenAmount);
    if (this.#isClosing) throw shuttingDown();
    this.#checkBreaker();
    if (this.#open.get(input.requestId) !== undefined) throw requestIdTaken();
    // Without leases, calls wait for the failing database before they cost anything at a provider.
    const mayLease =
      input.own !== true &&
      input.session === undefined &&
      input.derivedKeys === undefined &&
      this.#breaker.outage() === undefined &&
      this.#heartbeat.isAlive();
    const call = this.#book.beginCall(input, mayLease);
    this.#open.set(input.requestId, call);
    if (call.lease !== undefined) return;
    let decision: Decision = { verdict: "taken" };
    try {
      decision = await this.#insertReservation(input);
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    } finally {
      if (decision.verdict !== "granted") {
        this.#open.delete(input.requestId);
        this.#book.endCall(call, true);
      }
    }
    const { pointsPerUsd = () => POINTS_PER_USD } = this.#options;
    const refusal = refusalOf(decision, { pointsPerUsd: pointsPerUsd(), derivedKeys: input.derivedKeys });
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Makes a reservation of its own. Before it is refused, all nodes give back the leased points that they do
   * not need, and it waits for other calls of its session or derived key.
   */
  async #insertReservation(input: ReserveInput): Promise<Decision> {
    let decision = await this.#shards.add({ reserve: input });
    for (const pauseMs of recallPausesMs) {
      if (!leasesMayHelp(decision) || this.#isClosing) break;
      await this.#recalls.recallEverywhere(input.userId);
      await sleep(pauseMs);
      decision = await this.#shards.add({ reserve: input });
    }
    for (const pauseMs of sessionPausesMs) {
      if (!waitsForOthers(decision) || this.#isClosing || input.isPatient === false) break;
      await sleep(pauseMs);
      decision = await this.#shards.add({ reserve: input });
    }
    return decision;
  }

  async openSession(userId: number, session: string): Promise<SessionState | undefined> {
    this.#checkBreaker();
    try {
      return await openSession(this.#options.database.pool, userId, session);
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    }
  }

  async raise(input: ReserveInput): Promise<void> {
    const { requestId, userId, tokenId } = input;
    const call = this.#open.get(requestId);
    if (call !== undefined && this.#book.changeAmount(call, input.amount)) return;
    try {
      if (call?.lease === undefined) {
        const values = [[requestId], [userId], [tokenId]];
        await this.#options.database.pool.query({ ...releaseStatement, values });
      }
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    } finally {
      // The release of forgotten reservations frees whatever is still reserved.
      this.#open.delete(requestId);
      if (call !== undefined) this.#book.endCall(call, true);
    }
    await this.reserve(input);
  }

  settle(record: CallRecord, isShared = false): Promise<SettleResult> {
    return isShared ? this.#settle(record) : this.#lateSettlements.settle(record);
  }

  async #settle(record: CallRecord, onLate?: LateHandler): Promise<"settled" | "gone"> {
    const { requestId } = record;
    const call = this.#open.get(requestId);
    // A call in a lease has no row. Only this entry marks it as open.
    if (call?.lease !== undefined) this.#open.delete(requestId);
    let clear = false;
    try {
      checkAmount(record.quota);
      if (call !== undefined) {
        call.isEnding = true;
        this.#book.extendAmount(call, record.quota);
      }
      const { verdict } = await this.#shards.add({
        settle: record,
        ...(call !== undefined && { call }),
        ...(onLate !== undefined && { onLate }),
      });
      clear = true;
      if (verdict === "settled") {
        if (record.quota > 0n) this.#channelCharges.charged();
        if (call?.lease !== undefined) this.#bookings.charged(record.userId);
      }
      return verdict === "settled" ? "settled" : "gone";
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    } finally {
      if (this.#open.get(requestId) === call) this.#open.delete(requestId);
      if (call !== undefined) this.#book.endCall(call, clear);
    }
  }

  checkpoint(records: readonly CallRecord[]): Promise<void> {
    return this.#checkpoints.write(records);
  }

  forgetCall(requestId: string): void {
    const call = this.#open.get(requestId);
    if (call === undefined) return;
    this.#open.delete(requestId);
    this.#book.endCall(call, true);
  }

  recall(of: LeaseSelector): Promise<void> {
    return this.#recalls.recall(of);
  }

  logRefused(record: CallRecord): Promise<void> {
    return this.#refusedCalls.add(record);
  }

  trouble(): LedgerTrouble | undefined {
    const outage = this.#breaker.outage();
    const batchMs = this.#shards.ageMs();
    if (outage === undefined && batchMs === 0) return undefined;
    return { failingMs: outage?.forMs ?? 0, batchMs, error: outage?.error };
  }

  load(): LedgerLoad {
    return {
      ...this.#book.totals(),
      queued: this.#shards.size(),
      pending: this.#lateSettlements.pending(),
    };
  }

  start(): Promise<void> {
    return this.#heartbeat.start();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#recalls.close();
    await this.#recalls.recall("all").catch(this.#options.onError);
    await this.#shards.idle();
    await this.#refusedCalls.idle();
    this.#channelCharges.pause();
    await this.#breaker.close();
    await this.#bookings.close();
    await this.#shards.close();
    await this.#heartbeat.close();
    await this.#control.close();
    await this.#channelCharges.update();
  }

  #checkBreaker(): void {
    const refused = this.#breaker.refusalError();
    if (refused !== undefined) throw refused;
  }
}
