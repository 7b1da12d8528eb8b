import { reservationLost } from "#errors.ts";
import type { BackgroundResponse, PrismaClient } from "#platform/prisma/client.ts";

/** Node ID of reservations for calls that outlive every node. They are never released as abandoned. */
export const backgroundNode = "background";

export type BackgroundCall = Pick<
  BackgroundResponse,
  "request_id" | "response_id" | "user_id" | "token_id" | "channel_id" | "channel_key_id" | "call"
>;

/**
 * Moves a call's reservation from this node to the background, so that any node can settle it. The same
 * statement inserts the row that they need. Throws `reservation_lost`.
 */
export async function handOverReservation(db: PrismaClient, bill: BackgroundCall): Promise<void> {
  const [row] = await db.$queryRaw<{ moved: number }[]>`
    WITH moved AS (
      UPDATE reservations SET node_id = ${backgroundNode} WHERE request_id = ${bill.request_id}
      RETURNING request_id
    ), kept AS (
      INSERT INTO background_responses
        (request_id, response_id, user_id, token_id, channel_id, channel_key_id, call, poll_at)
      SELECT request_id, ${bill.response_id}, ${bill.user_id}::int, ${bill.token_id}::int,
        ${bill.channel_id}::int, ${bill.channel_key_id}::int, ${bill.call}, now() + interval '1 second'
      FROM moved
      ON CONFLICT (request_id) DO NOTHING
    )
    SELECT count(*)::int AS moved FROM moved`;
  if (row?.moved !== 1) throw reservationLost();
}
