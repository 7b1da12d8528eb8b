import { setTimeout as sleep } from "node:timers/promises";
import type { CallRecord } from "#domain/ledger/call-record.ts";
import { GatewayError } from "#errors.ts";
import { databaseTrouble, isConnectionLoss, isDiskFull } from "#platform/database/connection-loss.ts";
import { openConnection } from "#platform/database/connection.ts";
import { type Database, types } from "#platform/database/db.ts";
import { checkAmount } from "./amounts.ts";
import { createBatcher } from "./batcher.ts";
import { createBreaker } from "./breaker.ts";
import { collectStatement } from "./channel-charges.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { createLeaseBook } from "./lease-book.ts";
import { createRecalls, leasesMayHelp, recallPausesMs } from "./lease-recall.ts";
import { createLeases } from "./leases.ts";
import { writeNotes } from "./ledger-notes.ts";
import { createShards } from "./ledger-shards.ts";
import { beatStatement, releaseStatement, spaceStatement } from "./ledger-statements.ts";
import type { LeaseOwner, Place, ReserveInput } from "./steps.ts";
import { type Judgement, refusalOf, requestIdTaken } from "./verdict.ts";

/**
 * Moves the balance for calls: reserve, settle, release. Together with credit.ts the only writer of balances. It must not
 * know prices, channels' health or HTTP; amounts come in as whole points.
 */
export interface Ledger {
  /**
   * Holds points of a user, and of a token that has a limit, for a call, and its place among the token's calls at
   * once. Throws `insufficient_quota`, `budget_exceeded`, `token_quota_exhausted`, `spend_limit_reached` or
   * `rate_limit_exceeded`; `tokenAmount` 0n says that the token's share is the same as the user's.
   */
  reserve(input: ReserveInput): Promise<void>;
  /**
   * Reserves anew for a call that turned out to cost more. What it had reserved is given back first, so after an
   * error nothing is reserved. Throws as `reserve` does.
   */
  raise(input: ReserveInput): Promise<void>;
  /**
   * Closes the reservation, charges `record.quota` (0n releases), writes the log row and the roll-up; once.
   * "gone" when no reservation was open any more: nothing was charged or written.
   */
  settle(record: CallRecord): Promise<"settled" | "gone">;
  /**
   * Writes down what these long calls would be charged if this node died now. One that has its points in a lease gets a
   * reservation of its own. Never throws; calls that are not open are passed over.
   */
  checkpoint(records: readonly CallRecord[]): Promise<void>;
  /** The reservation is not this node's any more: `settle` of any node closes it. See domain/responses/background.ts. */
  handedOver(requestId: string): void;
  /**
   * Gives back what open calls do not need of this node's leases, because an account's points are needed elsewhere or
   * its rights have changed. Resolves when that is committed.
   */
  recall(of: LeaseOwner): Promise<void>;
  /** The log row of a call that was refused before it reserved. Resolves when it is written or given up. */
  note(record: CallRecord): Promise<void>;
  /**
   * How the database serves the ledger: for how long nothing has succeeded, and how old the oldest call is that waits
   * for a batch. Undefined while nothing waits and nothing fails.
   */
  trouble(): LedgerTrouble | undefined;
  /** Announces this node and begins to look after leases. Call it before the first reserve. */
  start(): Promise<void>;
  /** Waits for what is under way, gives back what is still held and takes this node off the list. */
  close(): Promise<void>;
}

export interface LedgerTrouble {
  failingMs: number;
  batchMs: number;
  error: unknown;
}

export interface LedgerOptions {
  database: Pick<Database, "pool" | "url" | "applicationName" | "dropSilent">;
  /** Unique to this process. */
  nodeId: string;
  /** Background trouble: heartbeats, releases, log rows of refused calls, a database that is away. */
  onError: (error: unknown) => void;
  /** Asks every node, this one included, to `recall` the leases of an account. */
  askForLeases?: (userId: number) => Promise<void>;
  /** A lease that no call has used for so long is given back; 0: no leases. Milliseconds. */
  leaseIdleMs?: number;
  /** For tests: the call of a key, counted since it was idle, with which it gets a lease. */
  callsBeforeLease?: number;
  /** Receives every batch that came back: how many calls began or ended in it, and how long it took. */
  onBatch?: (steps: number, milliseconds: number) => void;
  /** Receives how many calls got a checkpoint in one go. */
  onCheckpoints?: (calls: number) => void;
  /** Batches under way at a time, each on a connection of its own; an account's calls are all in one of them. */
  shards?: number;
  /** For tests: how long statements are tried again over a lost connection, and the pace of the leases. */
  retryForMs?: number;
  beatMs?: number;
  silentAfterMs?: number;
  /** For tests: when a batch counts as lost, how long it waits for a lock, and when calls are refused at once. */
  silentMs?: number;
  lockMs?: number;
  openAfterMs?: number;
}

const maxRows = 200;
/** Measured in docs/money.md. */
const defaultShards = 2;
/** Log rows of refused calls that may wait while the database is away. */
const maxNotes = 20_000;
/** A call that has not begun is not worth waiting long for a disk that is full. */
const beginOnFullDiskMs = 2_000;
const longestBeginMs = 10_000;
const chargesEveryMs = 5_000;
const keeperSilentMs = 4_000;
const leaseIdleMs = 5_000;
const callsBeforeLease = 4;

export function createLedger(options: LedgerOptions): Ledger {
  const { database, nodeId, onError, retryForMs = 15_000, silentMs = 10_000 } = options;
  const { pool } = database;
  /** By request id, from the beginning of their reserve to the end of their settle. */
  const open = new Map<string, Place>();
  const book = createLeaseBook({
    idleMs: options.leaseIdleMs ?? leaseIdleMs,
    callsBefore: options.callsBeforeLease ?? callsBeforeLease,
    now: () => performance.now(),
  });
  let closing = false;
  /** Something was charged since the channels' sums were brought up to date. */
  let charged = false;

  const connect = (mostSilentMs: number) =>
    openConnection({
      url: database.url,
      applicationName: database.applicationName,
      statementMs: Math.ceil(mostSilentMs * 0.8),
      lockMs: options.lockMs ?? 250,
      silentMs: mostSilentMs,
      types,
      plansOnce: true,
    });
  /** For what must not wait for a batch: heartbeats, releases, and the question whether the database works. */
  const keeper = connect(keeperSilentMs);
  const leases = createLeases({
    connection: keeper,
    nodeId,
    onError,
    isOpen: (id) => open.has(id) || book.has(id),
    settleLost: (rows) => checkpoints.settleLost(rows),
    ...(options.beatMs === undefined ? {} : { beatMs: options.beatMs }),
    ...(options.silentAfterMs === undefined ? {} : { silentAfterMs: options.silentAfterMs }),
  });
  const breaker = createBreaker({
    openAfterMs: options.openAfterMs ?? longestBeginMs,
    async probe(full) {
      await keeper.query({ ...beatStatement, values: [nodeId] });
      if (full) await keeper.query({ text: spaceStatement });
    },
    onChange: (message, cause) => onError(new Error(message, { cause })),
  });
  const shards = createShards({
    count: options.shards ?? defaultShards,
    nodeId,
    book,
    connect: () => connect(silentMs),
    onSilence: database.dropSilent,
    maxRows,
    breaker,
    retryForMs: ({ begin }) => {
      if (begin === undefined) return retryForMs;
      const full = isDiskFull(breaker.trouble()?.error);
      return Math.min(retryForMs, full ? beginOnFullDiskMs : longestBeginMs);
    },
    ...(options.onBatch === undefined ? {} : { onBatch: options.onBatch }),
  });
  const checkpoints = createCheckpoints({
    connection: keeper,
    nodeId,
    shards,
    open,
    mayTakeOver: () => !closing,
    onError,
    onCharged() {
      charged = true;
    },
    onWritten: (calls) => options.onCheckpoints?.(calls),
  });
  const recalls = createRecalls({
    book,
    shards,
    onError,
    askOthers: async (userId) => options.askForLeases?.(userId),
  });
  const notes = createBatcher<CallRecord, void>({
    maxRows,
    retryForMs: () => retryForMs,
    isPassing: isConnectionLoss,
    run: (items) => writeNotes(pool, items),
  });

  const chargesTimer = setInterval(() => {
    if (charged) void collect().catch(onError);
  }, chargesEveryMs);
  chargesTimer.unref();

  async function collect(): Promise<void> {
    charged = false;
    try {
      await pool.query(collectStatement);
    } catch (error) {
      charged = true;
      throw error;
    }
  }

  async function reserve(input: ReserveInput): Promise<void> {
    checkAmount(input.amount);
    checkAmount(input.tokenAmount);
    if (closing) throw new GatewayError("shutting_down");
    const refused = breaker.refusal();
    if (refused !== undefined) throw refused;
    if (open.has(input.requestId)) throw requestIdTaken();
    // While the database does not answer, calls wait for it before they cost anything at a provider.
    const mayLease = input.own !== true && breaker.trouble() === undefined && leases.isAlive();
    const place = book.enter(input, mayLease);
    open.set(input.requestId, place);
    if (place.lease !== undefined) return;
    let judgement: Judgement = { verdict: "taken" };
    try {
      judgement = await begin(input);
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    } finally {
      if (judgement.verdict !== "granted") {
        open.delete(input.requestId);
        book.leave(place, true);
      }
    }
    const refusal = refusalOf(judgement);
    if (refusal !== undefined) throw refusal;
  }

  /** A reservation of its own. Before it is refused, all nodes give back what they have leased and do not need. */
  async function begin(input: ReserveInput): Promise<Judgement> {
    let judgement = await shards.add({ begin: input });
    for (const pauseMs of recallPausesMs) {
      if (!leasesMayHelp(judgement) || closing) break;
      await recalls.gather(input.userId);
      await sleep(pauseMs);
      judgement = await shards.add({ begin: input });
    }
    return judgement;
  }

  return {
    reserve,

    async raise(input) {
      const { requestId, userId, tokenId } = input;
      const place = open.get(requestId);
      if (place !== undefined && book.change(place, input.amount)) return;
      try {
        if (place?.lease === undefined)
          await pool.query({ ...releaseStatement, values: [[requestId], [userId], [tokenId]] });
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      } finally {
        // Whatever is still held is released as forgotten.
        open.delete(requestId);
        if (place !== undefined) book.leave(place, true);
      }
      await reserve(input);
    },

    async settle(record) {
      const { requestId } = record;
      const place = open.get(requestId);
      // Nothing but this place says that the call is open.
      if (place?.lease !== undefined) open.delete(requestId);
      let clear = false;
      try {
        checkAmount(record.quota);
        if (place !== undefined) {
          place.ending = true;
          book.stretch(place, record.quota);
        }
        const { verdict } = await shards.add({ end: record, ...(place !== undefined && { place }) });
        clear = true;
        if (verdict === "settled" && record.quota > 0n) charged = true;
        return verdict === "settled" ? "settled" : "gone";
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      } finally {
        if (open.get(requestId) === place) open.delete(requestId);
        if (place !== undefined) book.leave(place, clear);
      }
    },

    checkpoint: (records) => checkpoints.keep(records),

    handedOver(requestId) {
      const place = open.get(requestId);
      if (place === undefined) return;
      open.delete(requestId);
      book.leave(place, true);
    },

    recall: (of) => recalls.recall(of),

    async note(record) {
      if (notes.size >= maxNotes) {
        onError(new Error(`More than ${maxNotes} log rows wait for the database; one was dropped.`));
        return;
      }
      try {
        await notes.add(record);
      } catch (error) {
        onError(error);
      }
    },

    trouble() {
      const failing = breaker.trouble();
      const batchMs = shards.ageMs();
      if (failing === undefined && batchMs === 0) return undefined;
      return { failingMs: failing?.forMs ?? 0, batchMs, error: failing?.error };
    },

    start: () => leases.start(),

    async close() {
      closing = true;
      recalls.close();
      await recalls.recall("all").catch(onError);
      await shards.idle();
      await notes.idle();
      clearInterval(chargesTimer);
      await breaker.close();
      await shards.close();
      await leases.close();
      await keeper.close();
      if (charged) await collect();
    },
  };
}
