import { reasonOf } from "@gateway/shared/reasons";
import { eventReason } from "#domain/channels/health/channel-state.ts";
import { Prisma, type PrismaClient } from "#platform/prisma/client.ts";

/** Every node and every worker notices the same failure. It is one event. */
const ONCE_IN = "5 minutes";

/**
 * Adds an event to the channels that use a reference: its key can no longer be read, or can be read again.
 * @param fault undefined when it can be read
 */
export async function noteKeyAvailability(
  db: PrismaClient,
  reference: string,
  fault: string | undefined,
): Promise<void> {
  const kind = fault === undefined ? "key-available" : "key-unavailable";
  const { reason, reason_facts } = eventReason(
    fault === undefined ? reasonOf("keyReadAgain") : reasonOf("keyUnreadable", { fault }),
  );
  await db.$executeRaw(Prisma.sql`
    INSERT INTO channel_events (channel_id, kind, reason, reason_facts, detail)
    SELECT DISTINCT k.channel_id, ${kind}, ${reason}, ${JSON.stringify(reason_facts)}::jsonb,
      jsonb_build_object('key', ${reference}::text)
    FROM channel_keys k JOIN channels c ON c.id = k.channel_id
    WHERE k.reference = ${reference} AND c.deleted_at IS NULL
      AND ${kind} IS DISTINCT FROM (
        SELECT e.kind FROM channel_events e
        WHERE e.channel_id = k.channel_id AND e.detail ->> 'key' = ${reference}
          AND e.kind IN ('key-available', 'key-unavailable')
          AND e.created_time > now() - ${ONCE_IN}::interval
        ORDER BY e.id DESC LIMIT 1)
      AND (${kind} = 'key-unavailable' OR EXISTS (
        SELECT 1 FROM channel_events e
        WHERE e.channel_id = k.channel_id AND e.detail ->> 'key' = ${reference} AND e.kind = 'key-unavailable'))`);
}
