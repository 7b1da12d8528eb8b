import { findLoggedOutcomes } from "#domain/ledger/calls/log-refused-calls.ts";
import type { LogRowFormat } from "#domain/ledger/calls/log-rows.ts";
import type { Decision } from "#domain/ledger/calls/refusal.ts";
import { createLeaseSplitter, type SplittingOperation } from "#domain/ledger/checkpoints/lease-splitter.ts";
import type { LeaseBook } from "#domain/ledger/leases/lease-book.ts";
import { accountBusy } from "#errors.ts";
import {
  databaseTrouble,
  isCanceled,
  isContention,
  isLockTimeout,
  isSilence,
} from "#platform/database/connection-loss.ts";
import type { Connection } from "#platform/database/connection.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";
import { batchOf, type BatchRow } from "./batch-statement.ts";
import { again, Batcher, type BatchItem } from "./batcher.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import {
  type Lease,
  type LeaseRequest,
  type LedgerOperation,
  payerOf,
  type SettleOperation,
} from "./operations.ts";

/**
 * Runs several ledger batches in parallel. All calls of one account are in one shard, so the shards of a node
 * never wait for each other. A slow or locked account delays its own shard by at most the lock timeout.
 */
export interface Shards {
  add(operation: LedgerOperation): Promise<Decision>;
  /**
   * Returns the age of the oldest call that waits for a batch, in milliseconds; locked accounts do not count.
   */
  ageMs(): number;
  /** Number of operations that wait for a batch or are in one. */
  size(): number;
  /** Resolves when no call waits. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const findReservations = readStatement(import.meta.url, "find-reservations.sql");
const findLeases = readStatement(import.meta.url, "find-leases.sql");
const findLockedAccounts = readStatement(import.meta.url, "find-locked-accounts.sql");

export interface ShardOptions {
  count: number;
  nodeId: string;
  /** This node's rows in the roll-up. */
  part: number;
  logRows: LogRowFormat;
  book: LeaseBook;
  connect(): Connection;
  breaker: CircuitBreaker;
  retryForMs(operation: LedgerOperation): number;
  /** Called when a connection was dropped because it was silent. */
  onSilence(): void;
  onBatch?: (operations: number, milliseconds: number) => void;
}

export function createShards(options: ShardOptions): Shards {
  const shards = Array.from({ length: options.count }, () => {
    const connection = options.connect();
    return { connection, batcher: createShard(options, connection) };
  });
  return {
    add(operation) {
      const shard = shards[payerOf(operation).userId % shards.length];
      if (shard === undefined) throw new Error("The ledger has no shards.");
      return shard.batcher.add(operation);
    },
    ageMs: () => Math.max(...shards.map(({ batcher }) => batcher.ageMs())),
    size: () => shards.reduce((sum, { batcher }) => sum + batcher.size, 0),
    async idle() {
      await Promise.all(shards.map(({ batcher }) => batcher.idle()));
    },
    async close() {
      await Promise.all(shards.map(({ connection }) => connection.close()));
    },
  };
}

function createShard(
  { nodeId, part, logRows, book, breaker, retryForMs, onBatch, onSilence }: ShardOptions,
  connection: Connection,
): Batcher<LedgerOperation, Decision> {
  async function findReserved(requestIds: string[]): Promise<Set<string>> {
    if (requestIds.length === 0) return new Set();
    const statement = { ...findReservations, values: [requestIds, nodeId] };
    const rows = await connection.query<{ request_id: string }>(statement);
    return new Set(rows.map((row) => row.request_id));
  }

  async function lockedOf(operations: readonly LedgerOperation[]): Promise<Set<number>> {
    const payers = operations.map(payerOf);
    const users = [...new Set(payers.map(({ userId }) => userId))];
    const tokens = [...new Set(payers.map(({ tokenId }) => tokenId))];
    const rows = await connection.query<{ id: number }>({ ...findLockedAccounts, values: [users, tokens] });
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Reads the leases without a row in the result: they are gone or have a new version. Returns those found.
   */
  async function lookUp(leases: readonly Lease[]): Promise<Set<string>> {
    if (leases.length === 0) return new Set();
    const values = [leases.map(({ id }) => id), nodeId];
    const rows = await connection.query<{ request_id: string; amount: bigint; version: number }>({
      ...findLeases,
      values,
    });
    const found = new Map(rows.map((row) => [row.request_id, row]));
    for (const lease of leases) {
      const row = found.get(lease.id);
      if (row === undefined) book.removeLease(lease);
      else book.confirmLease(lease, row.version, row.amount);
    }
    return new Set(found.keys());
  }

  const splits = createLeaseSplitter({ connection, book, findReserved, lookUp });

  async function run(items: readonly BatchItem<LedgerOperation>[]): Promise<(Decision | typeof again)[]> {
    const splitting = items.map(({ input }) => input).filter(isSplitting);
    if (splitting.length > 0) await splits.resolveUncertain(splitting);
    const checkpoints = items.flatMap(({ input }) => (input.kind === "checkpoint" ? [input] : []));
    if (checkpoints.length === 0) return runBatch(items);
    await splits.split(checkpoints);
    const others = items.filter(({ input }) => input.kind !== "checkpoint");
    const answers = (others.length === 0 ? [] : await runBatch(others)).values();
    return items.map(({ input }) =>
      input.kind === "checkpoint" ? checkpointed : (answers.next().value ?? again),
    );
  }

  async function write(
    operations: readonly LedgerOperation[],
    requests: readonly LeaseRequest[],
  ): Promise<BatchRow[]> {
    const statement = () => batchOf(operations, requests, { nodeId, part, logRows });
    try {
      return await connection.query<BatchRow>(statement());
    } catch (error) {
      if (await logRows.adapt(error, (count) => connection.query(count)))
        return connection.query<BatchRow>(statement());
      throw error;
    }
  }

  async function runBatch(
    items: readonly BatchItem<LedgerOperation>[],
  ): Promise<(Decision | typeof again)[]> {
    const operations = items.map((item) => item.input);
    const { leases, requests } = book.requestsFor(operations);
    if (leases.length === 0 && operations.every(({ kind }) => kind === "return"))
      return operations.map(() => ({ verdict: "returned" }));
    const began = performance.now();
    let rows: BatchRow[];
    try {
      rows = await write(operations, requests);
    } catch (error) {
      for (const lease of leases) lease.isUncertain = true;
      throw error;
    }
    breaker.recordSuccess();
    onBatch?.(operations.length, performance.now() - began);
    const verdicts = new Map<number, Decision>();
    const silent = new Set(leases);
    for (const row of rows) {
      const at = row.ord - operations.length;
      const [lease, request] = [leases[at], requests[at]];
      if (lease === undefined || request === undefined) verdicts.set(row.ord, row as Decision);
      else {
        silent.delete(lease);
        if (row.verdict === "denied" || request.keep === "0") book.removeLease(lease);
        else book.confirmLease(lease, request.version + 1, row.most ?? 0n);
        if (row.verdict === "stale") book.closeLease(lease);
      }
    }
    const there = await lookUp([...silent]);
    // An earlier statement whose response was lost may have done this already, or may do so in the meantime.
    const isUnclear = ({ input, isUncertain }: BatchItem<LedgerOperation>, ord: number) =>
      !isDone(verdicts.get(ord)) && (isUncertain || (input.kind === "settle" && isIn(silent, input)));
    const unclear = items.filter(isUnclear).map((item) => item.input);
    const open = await findReserved(
      unclear.flatMap((operation) => (operation.kind === "reserve" ? [operation.input.requestId] : [])),
    );
    const ended = unclear.flatMap((operation) => (operation.kind === "settle" ? [operation.record] : []));
    const closed = ended.length === 0 ? none : await findLoggedOutcomes(connection.query, ended);
    return operations.map((operation, ord) => {
      const verdict = verdicts.get(ord);
      switch (operation.kind) {
        case "return":
          return { verdict: "returned" };
        case "checkpoint":
          return checkpointed;
        case "settle": {
          const answer = verdict ?? endOf(operation, closed, there);
          if (answer !== again && operation.call !== undefined) book.endCall(operation.call, true);
          return answer;
        }
        case "reserve":
          if (open.has(operation.input.requestId)) return { verdict: "granted" };
          return verdict === undefined || verdict.verdict === "again" ? again : verdict;
      }
    });
  }

  return new Batcher<LedgerOperation, Decision>({
    run,
    retryForMs,
    keepsTrying: (operation) => operation.kind === "settle" && operation.onLate?.() === true,
    isTransient(error) {
      if (databaseTrouble(error) === undefined) return false;
      if (!isContention(error)) breaker.recordFailure(error);
      if (isSilence(error)) onSilence();
      return true;
    },
    isSlow: (error) => isCanceled(error),
    locks: {
      keyOf: (operation) => payerOf(operation).userId,
      isLocked: isLockTimeout,
      lockedOf,
      expiryError: accountBusy,
    },
  });
}

const none: ReadonlyMap<string, string> = new Map();

const checkpointed: Decision = { verdict: "checkpointed" };

/**
 * Returns the result of a call that ended without effect.
 * @param there leases that exist in an unexpected version
 */
function endOf(
  { record, call }: SettleOperation,
  closed: ReadonlyMap<string, string>,
  there: ReadonlySet<string>,
): Decision | typeof again {
  const logged = closed.get(record.requestId);
  // Another node charged this call up to its checkpoint, which differs from what this node would deliver.
  if (logged === "interrupted" && record.outcome !== "interrupted") return { verdict: "gone" };
  if (logged !== undefined) return { verdict: "settled" };
  return call?.lease !== undefined && there.has(call.lease.id) ? again : { verdict: "gone" };
}

function isSplitting(operation: LedgerOperation): operation is SplittingOperation {
  const isOfCall = operation.kind === "settle" || operation.kind === "checkpoint";
  return isOfCall && operation.call?.isSplitting === true;
}

function isIn(leases: ReadonlySet<Lease>, { call }: SettleOperation): boolean {
  return call?.lease !== undefined && leases.has(call.lease);
}

function isDone(decision: Decision | undefined): boolean {
  return decision?.verdict === "granted" || decision?.verdict === "settled";
}
