import { createHash } from "node:crypto";
import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { type Activity, alwaysActive } from "#platform/activity.ts";
import { isDiskFull } from "#platform/database/connection-loss.ts";
import { type Connection, openConnection } from "#platform/database/connection.ts";
import { type Database, types } from "#platform/database/db.ts";
import { TransientMap } from "#platform/memory/transient-map.ts";
import { type CircuitBreaker, createCircuitBreaker, diskProbeStatement } from "./batches/circuit-breaker.ts";
import type { LeaseSelector, ReservedCall, ReserveInput, LedgerOperation } from "./batches/operations.ts";
import { createShards, type ShardOptions, type Shards } from "./batches/shards.ts";
import { createBookings } from "./bookings/book-charges.ts";
import { createChannelChargeCollector } from "./bookings/collect-channel-charges.ts";
import { createLateSettlements } from "./calls/late-settlements.ts";
import { createRefusedCallLog } from "./calls/log-refused-calls.ts";
import { createLogRowFormat } from "./calls/log-rows.ts";
import { createNodeHeartbeat, heartbeatStatement } from "./calls/node-heartbeat.ts";
import { createOpenCalls } from "./calls/open-calls.ts";
import type { SessionState } from "./calls/session-budgets.ts";
import { createCheckpoints } from "./checkpoints/write-checkpoints.ts";
import { LeaseBook, type LeaseTotals } from "./leases/lease-book.ts";
import { createLeaseRecalls } from "./leases/recall-leases.ts";

/**
 * Moves balances for calls: reserve, settle, release. Only domain/ledger writes balances. It must
 * not depend on prices, channel health or HTTP; amounts are whole points.
 */
export interface Ledger {
  /**
   * Reserves points of a user for a call, and of a token with a limit, and counts the call as concurrent.
   * Throws `insufficient_quota`, `budget_exceeded`, `token_quota_exhausted`, `spend_limit_reached` or
   * `rate_limit_exceeded`, in a session with a budget `session_budget_exhausted`, and with a revoked derived key
   * `invalid_api_key`.
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
  /**
   * Receives background errors: heartbeats, releases, log rows of refused calls, an unavailable database.
   * @param from set when only the database can be the cause
   */
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

/** Measured in docs/benchmarks.md. */
const defaultShards = 2;
/** Retry limit for calls that have not begun while the disk is full, where a long wait is not worthwhile. */
const beginOnFullDiskMs = 2_000;
const longestBeginMs = 10_000;
const controlSilentMs = 4_000;
const leaseIdleMs = 5_000;
const callsBeforeLease = 4;
const defaultRetryMs = 15_000;

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
function waitOf({ kind }: LedgerOperation, breaker: CircuitBreaker, retryForMs: number): number {
  if (kind !== "reserve") return retryForMs;
  const isFull = isDiskFull(breaker.outage()?.error);
  return Math.min(retryForMs, isFull ? beginOnFullDiskMs : longestBeginMs);
}

/** Returns a number for the node's rows in the roll-up. Two nodes have the same one in one of 32,768 cases. */
function partOf(nodeId: string): number {
  return createHash("sha256").update(nodeId).digest().readUInt16BE() >> 1;
}

/** Opens the parallel batches. Each has a connection of its own. */
function openShards(
  options: LedgerOptions,
  parts: Pick<ShardOptions, "part" | "logRows" | "book" | "breaker">,
): Shards {
  const { database, nodeId, retryForMs = defaultRetryMs, silentMs = 10_000, onBatch } = options;
  return createShards({
    ...parts,
    count: options.shards ?? defaultShards,
    nodeId,
    connect: () => connect(options, silentMs),
    onSilence: database.dropSilent,
    retryForMs: (operation) => waitOf(operation, parts.breaker, retryForMs),
    ...(onBatch && { onBatch }),
  });
}

export function createLedger(options: LedgerOptions): Ledger {
  const { activity = alwaysActive, nodeId, onError, beatMs, silentAfterMs } = options;
  const { pool } = options.database;
  const part = partOf(nodeId);
  const logRows = createLogRowFormat();
  const open = new TransientMap<string, ReservedCall>();
  let closing = false;
  const isClosing = () => closing;
  const book = new LeaseBook({
    idleMs: options.leaseIdleMs ?? leaseIdleMs,
    callsBefore: options.callsBeforeLease ?? callsBeforeLease,
    now: () => performance.now(),
  });
  // For operations that must not wait for a batch: heartbeats, releases and health probes.
  const connection = connect(options, controlSilentMs);
  const breaker = breakerOver(connection, options);
  const shards = openShards(options, { part, logRows, book, breaker });
  const channelCharges = createChannelChargeCollector(pool, activity, onError);
  const checkpoints = createCheckpoints({
    connection,
    nodeId,
    shards,
    open,
    mayTakeOver: () => !closing,
    onError,
    onCharge: channelCharges.charged,
    onCheckpoints: (calls) => options.onCheckpoints?.(calls),
  });
  const heartbeat = createNodeHeartbeat({
    activity,
    connection,
    nodeId,
    onError,
    isOpen: (id) => open.get(id) !== undefined || book.has(id),
    settleAbandoned: checkpoints.settleAbandoned,
    ...(beatMs !== undefined && { beatMs }),
    ...(silentAfterMs !== undefined && { silentAfterMs }),
  });
  const bookings = createBookings({ activity, connection, nodeId, book, onError });
  const askOthers = async (userId: number) => options.askForLeases?.(userId);
  const recalls = createLeaseRecalls({ activity, book, shards, onError, askOthers });
  const { retryForMs = defaultRetryMs } = options;
  const refusedCalls = createRefusedCallLog({ pool, part, logRows, onError, retryForMs });
  const calls = createOpenCalls({
    open,
    pool,
    book,
    breaker,
    shards,
    recalls,
    pointsPerUsd: options.pointsPerUsd ?? (() => POINTS_PER_USD),
    isAlive: heartbeat.isAlive,
    isClosing,
    onLeaseCharge: bookings.charged,
    onCharge: channelCharges.charged,
  });
  const late = createLateSettlements({ settle: calls.settle, shards, connection, isClosing, onError });
  return {
    reserve: calls.reserve,
    openSession: calls.openSession,
    raise: calls.raise,
    settle: (record, isShared = false) => (isShared ? calls.settle(record) : late.settle(record)),
    checkpoint: checkpoints.write,
    forgetCall: calls.forget,
    recall: recalls.recall,
    logRefused: refusedCalls.add,
    trouble() {
      const outage = breaker.outage();
      const batchMs = shards.ageMs();
      if (outage === undefined && batchMs === 0) return undefined;
      return { failingMs: outage?.forMs ?? 0, batchMs, error: outage?.error };
    },
    load: () => ({ ...book.totals(), queued: shards.size(), pending: late.pending() }),
    start: heartbeat.start,
    async close() {
      closing = true;
      recalls.close();
      await recalls.recall("all").catch(onError);
      await shards.idle();
      await refusedCalls.idle();
      channelCharges.pause();
      await breaker.close();
      await bookings.close();
      await shards.close();
      await heartbeat.close();
      await connection.close();
      await channelCharges.update();
    },
  };
}
