import { loggedOf } from "#domain/ledger/calls/log-refused-calls.ts";
import type { Decision } from "#domain/ledger/calls/refusal.ts";
import { createSplits } from "#domain/ledger/checkpoints/split-leases.ts";
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
import { batchOf, type BatchRow } from "./batch-statement.ts";
import { again, type Batcher, createBatcher, type Pending } from "./batcher.ts";
import type { Breaker } from "./breaker.ts";
import { leasesStatement, lockedStatement, reservedStatement } from "./statements.ts";
import { type Lease, payerOf, type Step } from "./steps.ts";

/**
 * Runs several ledger batches in parallel. All calls of one account are in one shard, so the shards of a node
 * never wait for each other. A slow or locked account delays its own shard by at most the lock timeout.
 */
export interface Shards {
  add(step: Step): Promise<Decision>;
  /**
   * Returns the age of the oldest call that waits for a batch, in milliseconds; locked accounts do not count.
   */
  ageMs(): number;
  /** Resolves when no call waits. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface ShardOptions {
  count: number;
  nodeId: string;
  /** This node's rows in the roll-up. */
  part: number;
  book: LeaseBook;
  connect(): Connection;
  maxRows: number;
  breaker: Breaker;
  retryForMs(step: Step): number;
  /** Called when a connection was dropped because it was silent. */
  onSilence(): void;
  onBatch?: (steps: number, milliseconds: number) => void;
}

export function createShards(options: ShardOptions): Shards {
  const shards = Array.from({ length: options.count }, () => {
    const connection = options.connect();
    return { connection, batcher: createShard(options, connection) };
  });
  return {
    add(step) {
      const shard = shards[payerOf(step).userId % shards.length];
      if (shard === undefined) throw new Error("The ledger has no shards.");
      return shard.batcher.add(step);
    },
    ageMs: () => Math.max(...shards.map(({ batcher }) => batcher.ageMs())),
    async idle() {
      await Promise.all(shards.map(({ batcher }) => batcher.idle()));
    },
    async close() {
      await Promise.all(shards.map(({ connection }) => connection.close()));
    },
  };
}

function createShard(
  { nodeId, part, book, breaker, maxRows, retryForMs, onBatch, onSilence }: ShardOptions,
  connection: Connection,
): Batcher<Step, Decision> {
  async function reserved(requestIds: string[]): Promise<Set<string>> {
    if (requestIds.length === 0) return new Set();
    const statement = { ...reservedStatement, values: [requestIds, nodeId] };
    const rows = await connection.query<{ request_id: string }>(statement);
    return new Set(rows.map((row) => row.request_id));
  }

  async function lockedOf(steps: readonly Step[]): Promise<Set<number>> {
    const payers = steps.map(payerOf);
    const users = [...new Set(payers.map(({ userId }) => userId))];
    const tokens = [...new Set(payers.map(({ tokenId }) => tokenId))];
    const rows = await connection.query<{ id: number }>({ ...lockedStatement, values: [users, tokens] });
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Reads the leases without a row in the result: they are gone or have a new version. Returns those found.
   */
  async function lookUp(leases: readonly Lease[]): Promise<Set<string>> {
    if (leases.length === 0) return new Set();
    const values = [leases.map(({ id }) => id), nodeId];
    const rows = await connection.query<{ request_id: string; amount: bigint; version: number }>({
      ...leasesStatement,
      values,
    });
    const found = new Map(rows.map((row) => [row.request_id, row]));
    for (const lease of leases) {
      const row = found.get(lease.id);
      if (row === undefined) book.drop(lease);
      else book.confirm(lease, row.version, row.amount);
    }
    return new Set(found.keys());
  }

  const splits = createSplits({ connection, book, reserved, lookUp });

  async function run(items: readonly Pending<Step>[]): Promise<(Decision | typeof again)[]> {
    await splits.resolve(items.map((item) => item.input));
    const marks = items.flatMap(({ input }) => (input.mark === undefined ? [] : [input]));
    if (marks.length === 0) return runBatch(items);
    await splits.split(marks);
    const others = items.filter(({ input }) => input.mark === undefined);
    const answers = (others.length === 0 ? [] : await runBatch(others)).values();
    return items.map(({ input }) => (input.mark === undefined ? (answers.next().value ?? again) : marked));
  }

  async function runBatch(items: readonly Pending<Step>[]): Promise<(Decision | typeof again)[]> {
    const steps = items.map((item) => item.input);
    const { leases, requests } = book.involved(steps);
    if (leases.length === 0 && steps.every((step) => step.give !== undefined))
      return steps.map(() => ({ verdict: "given" }));
    const began = performance.now();
    let rows: BatchRow[];
    try {
      rows = await connection.query<BatchRow>(batchOf(steps, requests, { nodeId, part }));
    } catch (error) {
      for (const lease of leases) lease.unsure = true;
      throw error;
    }
    breaker.succeeded();
    onBatch?.(steps.length, performance.now() - began);
    const verdicts = new Map<number, Decision>();
    const silent = new Set(leases);
    for (const row of rows) {
      const at = row.ord - steps.length;
      const [lease, request] = [leases[at], requests[at]];
      if (lease === undefined || request === undefined) verdicts.set(row.ord, row as Decision);
      else {
        silent.delete(lease);
        if (row.verdict === "denied" || request.keep === "0") book.drop(lease);
        else book.confirm(lease, request.version + 1, row.most ?? 0n);
        if (row.verdict === "stale") book.retire(lease);
      }
    }
    const there = await lookUp([...silent]);
    // An earlier statement whose response was lost may have done this already, or may do so in the meantime.
    const isUnclear = ({ input, uncertain }: Pending<Step>, ord: number) =>
      !isDone(verdicts.get(ord)) && (uncertain || (input.end !== undefined && isIn(silent, input)));
    const unclear = items.filter(isUnclear).map((item) => item.input);
    const open = await reserved(unclear.flatMap(({ begin }) => begin?.requestId ?? []));
    const closed = await loggedOf(
      connection.query,
      unclear.flatMap(({ end }) => end ?? []),
    );
    return steps.map((step, ord) => {
      const verdict = verdicts.get(ord);
      if (step.give !== undefined) return { verdict: "given" };
      if (step.mark !== undefined) return marked;
      if (step.end !== undefined) {
        const answer = verdict ?? endOf(step, closed, there);
        if (answer !== again && step.place !== undefined) book.leave(step.place, true);
        return answer;
      }
      if (open.has(step.begin.requestId)) return { verdict: "granted" };
      return verdict === undefined || verdict.verdict === "again" ? again : verdict;
    });
  }

  return createBatcher<Step, Decision>({
    maxRows,
    run,
    retryForMs,
    goesOn: (step) => step.end !== undefined && step.late?.() === true,
    isPassing(error) {
      if (databaseTrouble(error) === undefined) return false;
      if (!isContention(error)) breaker.failed(error);
      if (isSilence(error)) onSilence();
      return true;
    },
    isSlow: (error) => isCanceled(error),
    locks: {
      keyOf: (step) => payerOf(step).userId,
      isLocked: isLockTimeout,
      lockedOf,
      expired: accountBusy,
    },
  });
}

const marked: Decision = { verdict: "marked" };

/**
 * Returns the result of a call that ended without effect.
 * @param there leases that exist in an unexpected version
 */
function endOf(
  { end, place }: Extract<Step, { end: object }>,
  closed: ReadonlyMap<string, string>,
  there: ReadonlySet<string>,
): Decision | typeof again {
  const logged = closed.get(end.requestId);
  // Another node charged this call up to its checkpoint, which differs from what this node would deliver.
  if (logged === "interrupted" && end.outcome !== "interrupted") return { verdict: "gone" };
  if (logged !== undefined) return { verdict: "settled" };
  return place?.lease !== undefined && there.has(place.lease.id) ? again : { verdict: "gone" };
}

function isIn(leases: ReadonlySet<Lease>, { place }: Extract<Step, { end: object }>): boolean {
  return place?.lease !== undefined && leases.has(place.lease);
}

function isDone(decision: Decision | undefined): boolean {
  return decision?.verdict === "granted" || decision?.verdict === "settled";
}
