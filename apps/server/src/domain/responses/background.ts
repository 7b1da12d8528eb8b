import { handOverReservation, type BackgroundCall } from "#domain/ledger/calls/hand-over-reservation.ts";
import type { BackgroundResponse, PrismaClient } from "#platform/prisma/client.ts";

/**
 * Bills of responses that providers generate in the background, open until any node closes them. The
 * reservation exists only once, so it decides which node closed a bill. The module knows neither provider
 * formats nor prices.
 */
export interface BackgroundBills {
  /**
   * Takes the reservation of the call from this node and inserts the row, in one statement. Throws
   * `reservation_lost`.
   */
  handOver(bill: BackgroundCall): Promise<void>;
  /** Claims bills whose provider is due to be polled. No other node polls them for LEASE_SECONDS. */
  claim(count: number): Promise<DueBill[]>;
  /**
   * Sets the time of the next poll, in milliseconds from now.
   * @param isMissing whether the provider does not know the response; the time of the first such result in a
   *   row is kept
   */
  postpone(requestId: string, milliseconds: number, isMissing: boolean): Promise<void>;
  /** Returns the open bills of a response of this account. */
  ofResponse(responseId: string, userId: number): Promise<BackgroundResponse[]>;
  /** Deletes the row of a closed bill. The row stays while its reservation is open. */
  closed(requestId: string): Promise<void>;
  /** Deletes a response whose bill was closed without its end, so that it can no longer be read. */
  withdraw(responseId: string, userId: number): Promise<void>;
}

/** `usable` is false if the account or the token may no longer make calls, or the token has another key by now. */
export type DueBill = BackgroundResponse & { usable: boolean };

/**
 * Longer than one node needs for two polls. Afterwards, another node polls what a failed node had claimed.
 */
const LEASE_SECONDS = 75;

export function createBackgroundBills(db: PrismaClient): BackgroundBills {
  return {
    handOver: (bill) => handOverReservation(db, bill),

    claim: (count) => db.$queryRaw<DueBill[]>`
      WITH due AS MATERIALIZED (
        SELECT request_id FROM background_responses WHERE poll_at <= now()
        ORDER BY poll_at LIMIT ${count}::int FOR UPDATE SKIP LOCKED
      )
      UPDATE background_responses b SET poll_at = now() + ${LEASE_SECONDS}::int * interval '1 second'
      FROM due WHERE b.request_id = due.request_id
      RETURNING b.*,
        EXISTS (SELECT FROM users u WHERE u.id = b.user_id AND u.status = 1 AND u.deleted_at IS NULL)
        AND (b.token_id = 0 OR EXISTS (
          SELECT FROM tokens t WHERE t.id = b.token_id AND t.status = 1 AND t.deleted_at IS NULL
            AND (t.expired_time IS NULL OR t.expired_time > now())
            AND COALESCE(b.call::json -> 'call' -> 'caller' ->> 'keyHash' IN (
              encode(t.key_hash, 'hex'),
              CASE WHEN t.previous_until > now() THEN encode(t.previous_hash, 'hex') END
            ), b.call::json -> 'call' -> 'caller' ->> 'keyHash' IS NULL)
        ))
        AND NOT EXISTS (
          SELECT FROM reservations v JOIN derived_keys d ON d.id = ANY(v.derived_keys)
          WHERE v.request_id = b.request_id AND (d.revoked_at IS NOT NULL OR d.expires_at <= now())
        ) AS usable`,

    async postpone(requestId, milliseconds, isMissing) {
      await db.$executeRaw`
        UPDATE background_responses SET poll_at = now() + ${milliseconds}::int * interval '1 millisecond',
          missing_since = CASE WHEN ${isMissing} THEN coalesce(missing_since, now()) END
        WHERE request_id = ${requestId}`;
    },

    ofResponse: (responseId, userId) =>
      db.backgroundResponse.findMany({ where: { response_id: responseId, user_id: userId } }),

    async closed(requestId) {
      await db.$executeRaw`
        DELETE FROM background_responses b WHERE b.request_id = ${requestId}
        AND NOT EXISTS (SELECT FROM reservations v WHERE v.request_id = b.request_id)`;
    },

    async withdraw(responseId, userId) {
      await db.storedResponse.deleteMany({ where: { id: responseId, user_id: userId } });
    },
  };
}
