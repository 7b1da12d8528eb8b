import type { Db } from "#platform/database/db.ts";

/**
 * Channels offer few models many times over. Their names are found by jumping along the index from each name to the
 * next, so that a search by a part of a name looks at hundreds of names and not at a million rows.
 */

/** Beyond so many different names, jumping costs more than reading every row. */
const MOST_NAMES = 5_000;

/** Names that contain a text, in whatever case; undefined when there are too many names to look at. */
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
