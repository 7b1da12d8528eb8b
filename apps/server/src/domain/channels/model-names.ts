/**
 * Searches the distinct model names of all channels. Many channels offer the same few models. The query skips
 * along the index from each name to the next, so it reads hundreds of names instead of a million rows.
 */
import type { Db } from "#platform/database/db.ts";

/** Above this number of distinct names, skipping costs more than reading every row. */
const MOST_NAMES = 5_000;

/** Returns the names that contain a text, ignoring case; undefined if there are too many names. */
export async function modelNamesWith(db: Db, text: string): Promise<string[] | undefined> {
  const rows = await db.$queryRaw<{ model: string | null }[]>`
    WITH RECURSIVE known AS (
      (SELECT model FROM channel_models ORDER BY model LIMIT 1)
      UNION ALL
      SELECT (SELECT m.model FROM channel_models m WHERE m.model > known.model ORDER BY m.model LIMIT 1)
      FROM known WHERE known.model IS NOT NULL
    ) SELECT model FROM known LIMIT ${MOST_NAMES + 1}`;
  if (rows.length > MOST_NAMES) return undefined;
  const wanted = text.toLowerCase();
  return rows.flatMap(({ model }) => (model?.toLowerCase().includes(wanted) === true ? [model] : []));
}
