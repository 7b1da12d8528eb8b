import { accountBusy } from "#errors.ts";
import {
  databaseTrouble,
  isCanceled,
  isContention,
  isLockTimeout,
  isSilence,
} from "#platform/connection-loss.ts";
import type { Connection } from "#platform/connection.ts";
import { again, type Batcher, createBatcher, type Pending } from "./batcher.ts";
import type { Breaker } from "./breaker.ts";
import { loggedOf } from "./ledger-notes.ts";
import { lockedStatement, reservedStatement } from "./ledger-statements.ts";
import { type Step, type TurnRow, turnStatement, turnValues } from "./ledger-turn.ts";
import type { Judgement } from "./verdict.ts";

/**
 * Several batches of the ledger at a time. All calls of one account are in one shard, so that shards of a node never
 * wait for each other, and a slow or locked account delays its own shard at most for the lock timeout.
 */
export interface Shards {
  add(step: Step): Promise<Judgement>;
  /** Age of the oldest call that waits for a batch, in milliseconds; locked accounts do not count. */
  ageMs(): number;
  /** Resolves when no call waits. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface ShardOptions {
  count: number;
  nodeId: string;
  connect(): Connection;
  maxRows: number;
  breaker: Breaker;
  retryForMs(step: Step): number;
  /** A connection was dropped because it was silent. */
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
      const { userId } = step.begin ?? step.end;
      const shard = shards[userId % shards.length];
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
  { nodeId, breaker, maxRows, retryForMs, onBatch, onSilence }: ShardOptions,
  connection: Connection,
): Batcher<Step, Judgement> {
  async function reserved(requestIds: string[]): Promise<Set<string>> {
    if (requestIds.length === 0) return new Set();
    const statement = { ...reservedStatement, values: [requestIds, nodeId] };
    const rows = await connection.query<{ request_id: string }>(statement);
    return new Set(rows.map((row) => row.request_id));
  }

  async function lockedOf(steps: readonly Step[]): Promise<Set<number>> {
    const both = steps.map(({ begin, end }) => begin ?? end);
    const users = [...new Set(both.map(({ userId }) => userId))];
    const tokens = [...new Set(both.map(({ tokenId }) => tokenId))];
    const rows = await connection.query<{ id: number }>({ ...lockedStatement, values: [users, tokens] });
    return new Set(rows.map(({ id }) => id));
  }

  async function run(items: readonly Pending<Step>[]): Promise<(Judgement | typeof again)[]> {
    const steps = items.map((item) => item.input);
    const began = performance.now();
    const rows = await connection.query<TurnRow>({ ...turnStatement, values: turnValues(steps, nodeId) });
    breaker.succeeded();
    onBatch?.(steps.length, performance.now() - began);
    const verdicts = new Map(rows.map((row) => [row.ord, row]));
    // A statement of ours whose answer was lost may have done it already, or even in the meantime.
    const unclear = items
      .filter((item, ord) => item.uncertain && !isDone(verdicts.get(ord)))
      .map((item) => item.input);
    const open = await reserved(unclear.flatMap(({ begin }) => begin?.requestId ?? []));
    const closed = await loggedOf(
      connection.query,
      unclear.flatMap(({ end }) => end ?? []),
    );
    return steps.map(({ begin, end }, ord) => {
      const verdict = verdicts.get(ord);
      if (end !== undefined) return verdict ?? { verdict: closed.has(end.requestId) ? "settled" : "gone" };
      if (open.has(begin.requestId)) return { verdict: "granted" };
      return verdict === undefined || verdict.verdict === "again" ? again : verdict;
    });
  }

  return createBatcher<Step, Judgement>({
    maxRows,
    run,
    retryForMs,
    isPassing(error) {
      if (databaseTrouble(error) === undefined) return false;
      if (!isContention(error)) breaker.failed(error);
      if (isSilence(error)) onSilence();
      return true;
    },
    isSlow: (error) => isCanceled(error),
    locks: {
      keyOf: ({ begin, end }) => (begin ?? end).userId,
      isLocked: isLockTimeout,
      lockedOf,
      expired: accountBusy,
    },
  });
}

function isDone(judgement: Judgement | undefined): boolean {
  return judgement?.verdict === "granted" || judgement?.verdict === "settled";
}
