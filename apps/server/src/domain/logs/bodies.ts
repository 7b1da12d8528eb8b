import { createBatcher } from "#domain/ledger/batcher.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";

/**
 * Requests and answers as they were, of calls whose token or channel asks for it: encrypted, cut to a size, thrown away
 * after some days. No one waits for it; when the database is slower than the calls, bodies are left out and counted.
 */
export interface BodyLog {
  keep(bodies: CallBodies): void;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export interface CallBodies {
  requestId: string;
  /** The log row's. */
  createdAt: Date;
  userId: number;
  /** The token asked for it, so its owner may read it. */
  byToken: boolean;
  /** What was kept of each, and how long each was in bytes. */
  request: string;
  requestBytes: number;
  response: string;
  responseBytes: number;
}

/** Calls whose bodies may wait: with two bodies of a megabyte each they are what a node can spare. */
const MAX_WAITING = 200;
const ROWS_PER_STATEMENT = 20;

export function createBodyLog(options: {
  pool: Pool;
  secrets: Secrets;
  onError(error: unknown): void;
  /** A call's bodies were left out. */
  onDropped(): void;
}): BodyLog {
  const { pool, secrets } = options;
  const writes = createBatcher<CallBodies, void>({
    maxRows: ROWS_PER_STATEMENT,
    retryForMs: () => 5_000,
    isPassing: isConnectionLoss,
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
      if (writes.size >= MAX_WAITING) {
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

function contextOf(requestId: string): string {
  return `body:${requestId}`;
}

export interface KeptBodies {
  request: string;
  request_bytes: number;
  response: string;
  response_bytes: number;
}

/**
 * @param ownerId whose they must be, and by whose own wish they were kept; undefined for administrators
 * Null when nothing was kept, or it is gone already.
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
    // The log's index says on which day it was, which is the partition to look in.
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
