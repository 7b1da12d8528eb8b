import { setTimeout as sleep } from "node:timers/promises";
import type { AbandonedCall } from "#domain/ledger/checkpoints/write-checkpoints.ts";
import type { Activity } from "#platform/activity.ts";
import { followClock } from "#platform/clock.ts";
import type { Connection } from "#platform/database/connection.ts";
import { readStatement } from "#platform/database/prepared-statement.ts";
import { backgroundNode } from "./hand-over-reservation.ts";

export const heartbeatStatement = readStatement(import.meta.url, "write-heartbeat.sql");
export const releaseStatement = readStatement(import.meta.url, "release-reservations.sql");

/**
 * Releases reservations of dead nodes: nodes send heartbeats, and the reservations of a silent node are
 * released. It must not depend on the purpose of the reservations.
 */
export interface NodeHeartbeat {
  /** Registers this node and starts the release loop. Rejects when the database cannot be reached. */
  start(): Promise<void>;
  /** Releases this node's remaining reservations and unregisters it. */
  close(): Promise<void>;
  /** Returns whether no other node can consider this one dead. Only then may it use its leases. */
  isAlive(): boolean;
}

export interface NodeHeartbeatOptions {
  activity: Pick<Activity, "isResting">;
  /** A dedicated connection: a delayed heartbeat would make other nodes consider this one dead. */
  connection: Pick<Connection, "query">;
  nodeId: string;
  /** Returns whether this node still intends to settle a request id. */
  isOpen(requestId: string): boolean;
  /** Charges abandoned calls up to their checkpoints. Must return without waiting. */
  settleAbandoned(rows: readonly AbandonedCall[]): void;
  onError: (error: unknown) => void;
  beatMs?: number;
  silentAfterMs?: number;
}

interface ReservationRow extends AbandonedCall {
  user_id: number;
  token_id: number;
}

// A release locks the accounts it touches, so it runs in portions.
const portion = 500;
const closePausesMs = [0, 20, 50, 100, 200, 400];
/**
 * Others may consider a node dead after `silentAfterMs`; it stops using its leases after this share of it.
 */
const aliveShare = 0.6;

/** A resting node looks for reservations of dead nodes this often, and sends every second heartbeat. */
const RESTING_RELEASE_MS = 60_000;

export function createNodeHeartbeat(options: NodeHeartbeatOptions): NodeHeartbeat {
  const { activity, connection, nodeId, onError, beatMs = 5_000, silentAfterMs = 30_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  let closed = false;
  /** Start of the current run of successful heartbeats; undefined after a failed one. */
  let steadySince: number | undefined;
  /** When this node last looked for reservations to release. */
  let releasedAt = Number.NEGATIVE_INFINITY;
  /** Send time of the last successful heartbeat. */
  let receivedAt: number | undefined;

  async function beat(): Promise<void> {
    const requestedAt = performance.now();
    const [row] = await connection.query<{ database_ms: number }>({
      ...heartbeatStatement,
      values: [nodeId],
    });
    if (row !== undefined) followClock(row.database_ms, requestedAt);
    steadySince ??= performance.now();
    receivedAt = requestedAt;
  }

  async function release(rows: readonly ReservationRow[]): Promise<void> {
    const lost = rows.filter(({ checkpoint }) => checkpoint !== null);
    if (lost.length > 0) options.settleAbandoned(lost);
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

  /**
   * Releases reservations of silent nodes. A node that was paused reserves again before its next heartbeat:
   * a younger reservation is left for that heartbeat to protect.
   */
  async function releaseSilent(): Promise<void> {
    // An outage of Postgres silences every node.
    // Only a node whose own heartbeats all succeeded may release others.
    if (steadySince === undefined || performance.now() - steadySince < silentAfterMs) return;
    const rows = await connection.query<ReservationRow>({
      text: `SELECT request_id, user_id, token_id, checkpoint FROM reservations v
       WHERE v.node_id NOT IN ($1, '${backgroundNode}')
       AND v.created_time < now() - $2 * interval '1 millisecond' AND NOT EXISTS (
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
   * Releases this node's reservations that it has lost track of: the response to a reserve was lost and no
   * caller waits for it any more, or a settle failed permanently.
   */
  async function releaseForgotten(): Promise<void> {
    const rows = await connection.query<ReservationRow>({
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
    if (activity.isResting && performance.now() - releasedAt < RESTING_RELEASE_MS) return;
    releasedAt = performance.now();
    try {
      await releaseSilent();
      await releaseForgotten();
    } catch (error) {
      onError(error);
    }
  }

  function schedule(): void {
    timer = setTimeout(
      () => {
        round = look().then(() => {
          if (!closed) schedule();
        });
      },
      activity.isResting ? beatMs * 2 : beatMs,
    );
    timer.unref();
  }

  return {
    isAlive: () => receivedAt !== undefined && performance.now() - receivedAt < silentAfterMs * aliveShare,
    async start() {
      // Connecting is slow, and the clock is only as precise as the round trip that set it.
      await connection.query({ text: "SELECT 1" });
      await beat();
      schedule();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await round;
      // A release skips locked accounts, so they get more attempts.
      // Another node charges the calls with a checkpoint.
      for (const pauseMs of closePausesMs) {
        await sleep(pauseMs);
        const rows = await connection.query<ReservationRow>({
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
