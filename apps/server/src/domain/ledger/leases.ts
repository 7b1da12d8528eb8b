import { setTimeout as sleep } from "node:timers/promises";
import { followClock } from "#platform/clock.ts";
import type { Connection } from "#platform/database/connection.ts";
import type { Lost } from "./checkpoints.ts";
import { backgroundNode, beatStatement, releaseStatement } from "./ledger-statements.ts";

/**
 * A reservation lives as long as the node that made it: nodes say that they are alive, and what a silent one holds
 * is given back. It must not know what the reservations are for.
 */
export interface Leases {
  /** Announces this node and looks after leases from now on. Rejects when the database cannot be reached. */
  start(): Promise<void>;
  /** Gives back whatever this node still holds and takes its name off the list. */
  close(): Promise<void>;
  /** Whether no other node can have taken this one for dead: only then is what it has leased its own. */
  isAlive(): boolean;
}

export interface LeaseOptions {
  /** Of its own: a heartbeat must not wait for others, or other nodes take this one for dead. */
  connection: Pick<Connection, "query">;
  nodeId: string;
  /** Request ids that this node still means to settle. */
  isOpen(requestId: string): boolean;
  /** Charges calls that their node settles no more, up to their checkpoints. It must not be waited for. */
  settleLost(rows: readonly Lost[]): void;
  onError: (error: unknown) => void;
  beatMs?: number;
  silentAfterMs?: number;
}

interface ReservedCall extends Lost {
  user_id: number;
  token_id: number;
}

// A release locks the accounts it touches, so it takes them in portions.
const portion = 500;
const closePausesMs = [0, 20, 50, 100, 200, 400];
/** Others may take a node for dead after the whole time; it stops using its leases after this share. */
const aliveShare = 0.6;

export function createLeases(options: LeaseOptions): Leases {
  const { connection, nodeId, onError, beatMs = 5_000, silentAfterMs = 30_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  let closed = false;
  /** Since when every beat of ours has been heard; undefined after one that was not. */
  let steadySince: number | undefined;
  /** When the last beat that was heard had been sent. */
  let receivedAt: number | undefined;

  async function beat(): Promise<void> {
    const requestedAt = performance.now();
    const [row] = await connection.query<{ database_ms: number }>({ ...beatStatement, values: [nodeId] });
    if (row !== undefined) followClock(row.database_ms, requestedAt);
    steadySince ??= performance.now();
    receivedAt = requestedAt;
  }

  async function release(rows: readonly ReservedCall[]): Promise<void> {
    const lost = rows.filter(({ checkpoint }) => checkpoint !== null);
    if (lost.length > 0) options.settleLost(lost);
    const reserved = rows.filter(({ checkpoint }) => checkpoint === null);
    for (let at = 0; at < reserved.length; at += portion) {
      const some = reserved.slice(at, at + portion);
      await connection.query({
        ...releaseStatement,
        values: [
          some.map((row) => row.request_id),
          [...new Set(some.map((row) => row.user_id))],
          [...new Set(some.map((row) => row.token_id))],
        ],
      });
    }
  }

  /** What silent nodes hold. */
  async function releaseSilent(): Promise<void> {
    // When Postgres itself was away, every node fell silent. Only who was heard all the while may judge others.
    if (steadySince === undefined || performance.now() - steadySince < silentAfterMs) return;
    const rows = await connection.query<ReservedCall>({
      text: `SELECT request_id, user_id, token_id, checkpoint FROM reservations v
       WHERE v.node_id NOT IN ($1, '${backgroundNode}') AND NOT EXISTS (
         SELECT FROM nodes n WHERE n.id = v.node_id AND n.heartbeat > now() - $2 * interval '1 millisecond'
       )`,
      values: [nodeId, silentAfterMs],
    });
    await release(rows);
    await connection.query({
      text: `DELETE FROM nodes n WHERE n.heartbeat < now() - $1 * interval '1 millisecond'
       AND NOT EXISTS (SELECT FROM reservations v WHERE v.node_id = n.id)`,
      values: [silentAfterMs * 10],
    });
  }

  /**
   * What this node holds without knowing it: the answer to a reserve was lost and no one waited for it any more, or
   * a settle failed for good.
   */
  async function releaseForgotten(): Promise<void> {
    const rows = await connection.query<ReservedCall>({
      text: `SELECT request_id, user_id, token_id, checkpoint FROM reservations
       WHERE node_id = $1 AND created_time < now() - $2 * interval '1 millisecond'`,
      values: [nodeId, silentAfterMs],
    });
    await release(rows.filter((row) => !options.isOpen(row.request_id)));
  }

  async function look(): Promise<void> {
    try {
      await beat();
    } catch (error) {
      steadySince = undefined;
      onError(error);
      return;
    }
    try {
      await releaseSilent();
      await releaseForgotten();
    } catch (error) {
      onError(error);
    }
  }

  function schedule(): void {
    timer = setTimeout(() => {
      round = look().then(() => {
        if (!closed) schedule();
      });
    }, beatMs);
    timer.unref();
  }

  return {
    isAlive: () => receivedAt !== undefined && performance.now() - receivedAt < silentAfterMs * aliveShare,
    async start() {
      await beat();
      schedule();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await round;
      // Accounts that someone has locked are passed over: they get some more tries. Calls with a checkpoint are charged by
      // the next node that looks.
      for (const pauseMs of closePausesMs) {
        await sleep(pauseMs);
        const rows = await connection.query<ReservedCall>({
          text: `SELECT request_id, user_id, token_id, checkpoint FROM reservations
           WHERE node_id = $1 AND checkpoint IS NULL`,
          values: [nodeId],
        });
        if (rows.length === 0) break;
        await release(rows);
      }
      await connection.query({ text: `DELETE FROM nodes WHERE id = $1`, values: [nodeId] });
    },
  };
}
