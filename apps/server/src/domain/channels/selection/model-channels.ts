import { ChannelStatus } from "@gateway/shared/channels/channel-status";
import type { ModelChannels } from "@gateway/shared/models/disabled-models";
import type { Pool } from "#platform/database/db.ts";

/** Maximum number of channels that are named. */
const MOST_NAMED = 20;

/** Returns the enabled channels that can serve a model, by its name or by a name with `*`. */
export async function channelsOfModel(pool: Pool, model: string): Promise<ModelChannels> {
  const { rows } = await pool.query<{ id: number; name: string; pattern: string | null }>(
    `SELECT c.id, c.name,
            (array_agg(m.model ORDER BY length(m.model) DESC) FILTER (WHERE m.model <> $1))[1] AS pattern
       FROM channels c
       JOIN channel_models m ON m.channel_id = c.id
      WHERE c.deleted_at IS NULL AND c.status = ${ChannelStatus.enabled}
        AND (m.model = $1 OR (right(m.model, 1) = '*' AND starts_with($1, left(m.model, -1))))
      GROUP BY c.id, c.name
      ORDER BY c.id`,
    [model],
  );
  const byPattern = rows.flatMap(({ id, name, pattern }) =>
    pattern === null ? [] : [{ id, name, pattern }],
  );
  return {
    count: rows.length,
    by_pattern: byPattern.slice(0, MOST_NAMED),
    by_pattern_count: byPattern.length,
  };
}
