import { Batcher } from "#domain/ledger/batches/batcher.ts";
import { now } from "#platform/clock.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";

/**
 * Stores request and response bodies of calls whose token or channel enables it: encrypted, truncated, and
 * deleted after some days. Calls do not wait for it. When the database is slower than the calls, bodies are
 * dropped and counted.
 */
export interface BodyLog {
  keep(bodies: CallBodies): void;
  /** Waits for writes in progress. */
  close(): Promise<void>;
}

export interface CallBodies {
  requestId: string;
  /** Creation time of the log row. */
  createdAt: Date;
  userId: number;
  /** The token enabled the storage, so its owner may read the bodies. */
  byToken: boolean;
  /** Stored part of each body, and the original length of each in bytes. */
  request: string;
  requestBytes: number;
  response: string;
  responseBytes: number;
}

/** Maximum number of queued calls: with two bodies of 1 MB each, this is the memory that a node can spare. */
const MAX_WAITING = 200;
const ROWS_PER_STATEMENT = 20;
/** Bytes that one account may store in a day on this node with its own tokens. Administrators enable channels. */
const MAX_BYTES_OF_ONE = 256 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;

/** Counts the stored bytes of accounts. The counts start again each day. */
function createDailyBytes(): (userId: number, bytes: number) => boolean {
  const usedBy = new Map<number, number>();
  let day = 0;
  return (userId, bytes) => {
    const today = Math.floor(now() / DAY_MS);
    if (today !== day) usedBy.clear();
    day = today;
    const used = (usedBy.get(userId) ?? 0) + bytes;
    if (used > MAX_BYTES_OF_ONE) return false;
    usedBy.set(userId, used);
    return true;
  };
}

export function createBodyLog(options: {
  pool: Pool;
  secrets: Secrets;
  onError(error: unknown): void;
  /** Called when a call's bodies were dropped. */
  onDropped(): void;
}): BodyLog {
  const { pool, secrets } = options;
  const mayStore = createDailyBytes();
  const writes = new Batcher<CallBodies, void>({
    maxRows: ROWS_PER_STATEMENT,
    retryForMs: () => 5_000,
    isTransient: isConnectionLoss,
    async run(items) {
      const rows = items.map((item) => item.input);
      const seal = (text: string, requestId: string) =>
        Buffer.from(secrets.encrypt(text.replaceAll("\0", ""), contextOf(requestId)));
      await pool.query(
        `INSERT INTO request_bodies (created_at, request_id, user_id, by_token, request, request_bytes, response,
           response_bytes)
         SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::int[], $4::boolean[], $5::bytea[], $6::bigint[],
           $7::bytea[], $8::bigint[])
         ON CONFLICT DO NOTHING`,
        [
          rows.map((row) => row.createdAt),
          rows.map((row) => row.requestId),
          rows.map((row) => row.userId),
          rows.map((row) => row.byToken),
          rows.map((row) => seal(row.request, row.requestId)),
          rows.map((row) => row.requestBytes),
          rows.map((row) => seal(row.response, row.requestId)),
          rows.map((row) => row.responseBytes),
        ],
      );
      return rows.map(() => undefined);
    },
  });
  return {
    keep(bodies) {
      const { byToken, userId, request, response } = bodies;
      if (writes.size >= MAX_WAITING || (byToken && !mayStore(userId, request.length + response.length))) {
        options.onDropped();
        return;
      }
      writes.add(bodies).catch((error: unknown) => {
        options.onDropped();
        options.onError(error);
      });
    },
    close: () => writes.idle(),
  };
}

/** Returns the context that a stored body is encrypted for. */
export function contextOf(requestId: string): string {
  return `body:${requestId}`;
}

export interface KeptBodies {
  request: string;
  request_bytes: number;
  response: string;
  response_bytes: number;
}

/**
 * Returns the stored bodies of a call; null when none were stored or they have expired.
 * @param ownerId required owner, whose token must have enabled the storage; undefined for administrators
 */
export async function findBodies(
  pool: Pool,
  secrets: Secrets,
  requestId: string,
  ownerId?: number,
): Promise<KeptBodies | null> {
  const { rows } = await pool.query<{
    request: Buffer;
    request_bytes: bigint;
    response: Buffer;
    response_bytes: bigint;
  }>(
    // The log's index provides the time of the call and thus the partition.
    `SELECT b.request, b.request_bytes, b.response, b.response_bytes
       FROM request_logs l JOIN request_bodies b ON b.created_at = l.created_at AND b.request_id = l.request_id
      WHERE l.request_id = $1 AND ($2::int IS NULL OR (b.user_id = $2 AND b.by_token))
      LIMIT 1`,
    [requestId, ownerId ?? null],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    request: secrets.decrypt(row.request, contextOf(requestId)),
    request_bytes: Number(row.request_bytes),
    response: secrets.decrypt(row.response, contextOf(requestId)),
    response_bytes: Number(row.response_bytes),
  };
}
