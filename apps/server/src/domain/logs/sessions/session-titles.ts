/** The title of an agent's session: the first question of a stored request. */
import { contextOf } from "#domain/logs/bodies.ts";
import type { LogView } from "#domain/logs/filter.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import { firstQuestionOf } from "./first-question.ts";

/** Some agents begin a session with a call that checks the connection. */
const CALLS_READ = 3;

interface NamedSession {
  id: string;
  userId: number;
}

/**
 * Returns a title per session; "" where no request of its first calls is stored. Owners get a title only from calls
 * whose token stores its requests, as with the bodies of a call.
 */
export async function findTitles(
  pool: Pool,
  secrets: Secrets,
  sessions: readonly NamedSession[],
  view: LogView,
): Promise<string[]> {
  const { rows } = await pool.query<{ place: number; request_id: string; request: Buffer }>(
    `SELECT s.place::int, b.request_id, b.request
       FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS s(id, user_id, place)
      CROSS JOIN LATERAL (
        SELECT l.created_at, l.request_id FROM request_logs l
         WHERE l.session ->> 'id' = s.id AND l.user_id = s.user_id
         ORDER BY l.created_at, l.id LIMIT ${CALLS_READ}) first
       JOIN request_bodies b ON b.created_at = first.created_at AND b.request_id = first.request_id
        AND ($3 OR (b.user_id = s.user_id AND b.by_token))
      ORDER BY s.place, b.created_at, b.request_id`,
    [sessions.map(({ id }) => id), sessions.map(({ userId }) => userId), view.of === "everybody"],
  );
  const titles = sessions.map(() => "");
  for (const { place, request_id, request } of rows)
    titles[place - 1] ||= firstQuestionOf(secrets.decrypt(request, contextOf(request_id)));
  return titles;
}
