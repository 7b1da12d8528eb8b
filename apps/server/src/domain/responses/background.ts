import { handOverReservation, type NewBill } from "#domain/ledger/ledger-hand-over.ts";
import type { BackgroundResponse, PrismaClient } from "#platform/prisma/client.ts";

/**
 * Bills of responses that providers make in the background, open until any node closes them. The reservation decides
 * who closed one: it is there once. It must not know what providers say or how a call is priced.
 */
export interface BackgroundBills {
  /** Takes the call's reservation from this node, in one statement with the row. Throws `reservation_lost`. */
  handOver(bill: NewBill): Promise<void>;
  /** Bills whose provider is to be asked now; for LEASE_SECONDS no other node asks. */
  claim(count: number): Promise<DueBill[]>;
  /**
   * When the provider is asked next, in milliseconds from now on.
   * @param isMissing the provider does not know the response; the time of the first such answer in a row is kept
   */
  postpone(requestId: string, milliseconds: number, isMissing: boolean): Promise<void>;
  /** Open bills of a response of this account. */
  ofResponse(responseId: string, userId: number): Promise<BackgroundResponse[]>;
  /** Removes the row of a bill that was closed. One whose reservation is open stays. */
  closed(requestId: string): Promise<void>;
  /** The response cannot be read any more: its bill was closed without its end. */
  withdraw(responseId: string, userId: number): Promise<void>;
}

/** `usable` is false once the account or the key may not call any more. */
export type DueBill = BackgroundResponse & { usable: boolean };

/** Longer than one node takes to ask twice. What a node that failed had claimed is asked by another one then. */
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
        )) AS usable`,

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
