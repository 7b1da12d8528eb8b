/** The differences that the last checks found, as people see them. */
import type {
  ModelChangeIgnore,
  ModelChangeKind,
  ModelChangePage,
  ModelChangeQuery,
  UncheckedChannel,
} from "@gateway/shared/models/model-change";
import { type ReasonFact, storedFacts } from "@gateway/shared/reasons";
import { getChannel } from "#domain/channels/channels.ts";
import type { Db, Pool } from "#platform/database/db.ts";

const MOST_UNCHECKED = 100;

/**
 * Changes of channels that were not disabled manually. A change that an edit of the channel has settled since
 * the check is left out.
 */
const openChanges = `
  SELECT x.channel_id, x.model, x.kind, x.ignored
    FROM channel_model_changes x
    JOIN channels c ON c.id = x.channel_id AND c.deleted_at IS NULL AND c.status <> 2
   WHERE (x.kind = 'added') <> EXISTS (
     SELECT 1 FROM channel_models m WHERE m.channel_id = x.channel_id AND (m.model = x.model
       OR (x.kind = 'added' AND right(m.model, 1) = '*' AND starts_with(x.model, left(m.model, -1)))))`;

/** Returns a page of channels with their changes, and a summary of the last check. */
export async function listModelChanges(pool: Pool, query: ModelChangeQuery): Promise<ModelChangePage> {
  const { page, size, ignored } = query;
  const [channels, counts, checks, unchecked] = await Promise.all([
    pageOfChannels(pool, query),
    countChanges(pool),
    summarizeChecks(pool),
    uncheckedChannels(pool),
  ]);
  const total = ignored === 1 ? counts.channelsIgnored : counts.channels;
  return {
    data: channels,
    page,
    size,
    total_count: total,
    counts: { added: counts.added, removed: counts.removed, unlisted: counts.unlisted },
    ignored_count: counts.ignored,
    ...checks,
    unchecked,
  };
}

async function pageOfChannels(
  pool: Pool,
  { page, size, ignored }: ModelChangeQuery,
): Promise<ModelChangePage["data"]> {
  const { rows } = await pool.query<{
    id: number;
    name: string;
    type: number;
    changes: { model: string; kind: ModelChangeKind }[];
  }>(
    `SELECT c.id, c.name, c.type,
            json_agg(json_build_object('model', o.model, 'kind', o.kind) ORDER BY o.model) AS changes
       FROM (${openChanges}) o JOIN channels c ON c.id = o.channel_id
      WHERE o.ignored = $1
      GROUP BY c.id ORDER BY c.name, c.id LIMIT $2 OFFSET $3`,
    [ignored === 1, size, (page - 1) * size],
  );
  return rows.map(({ id, name, type, changes }) => {
    const of = (kind: ModelChangeKind) =>
      changes.filter((change) => change.kind === kind).map(({ model }) => model);
    return {
      channel_id: id,
      channel_name: name,
      channel_type: type,
      added: of("added"),
      removed: of("removed"),
      unlisted: of("unlisted"),
    };
  });
}

async function countChanges(pool: Pool) {
  const { rows } = await pool.query<Record<Count, number>>(
    `SELECT count(*) FILTER (WHERE NOT ignored AND kind = 'added')::int AS added,
            count(*) FILTER (WHERE NOT ignored AND kind = 'removed')::int AS removed,
            count(*) FILTER (WHERE NOT ignored AND kind = 'unlisted')::int AS unlisted,
            count(*) FILTER (WHERE ignored)::int AS ignored,
            count(DISTINCT channel_id) FILTER (WHERE NOT ignored)::int AS channels,
            count(DISTINCT channel_id) FILTER (WHERE ignored)::int AS "channelsIgnored"
       FROM (${openChanges}) o`,
  );
  const none = { added: 0, removed: 0, unlisted: 0, ignored: 0, channels: 0, channelsIgnored: 0 };
  return rows[0] ?? none;
}
type Count = ModelChangeKind | "ignored" | "channels" | "channelsIgnored";

const checkedChannels = `channel_model_checks k
  JOIN channels c ON c.id = k.channel_id AND c.deleted_at IS NULL AND c.status <> 2`;

async function summarizeChecks(pool: Pool) {
  const { rows } = await pool.query<{ time: number | null; ok: number; others: number }>(
    `SELECT floor(extract(epoch FROM max(k.checked_time)))::int AS time,
            count(*) FILTER (WHERE k.outcome = 'ok')::int AS ok,
            count(*) FILTER (WHERE k.outcome <> 'ok')::int AS others
       FROM ${checkedChannels}`,
  );
  const { time, ok, others } = rows[0] ?? { time: null, ok: 0, others: 0 };
  return { checked_time: time, checked_count: ok, unchecked_count: others };
}

async function uncheckedChannels(pool: Pool): Promise<UncheckedChannel[]> {
  const { rows } = await pool.query<{
    id: number;
    name: string;
    outcome: "failed" | "skipped";
    message: string;
    facts: ReasonFact[];
  }>(
    `SELECT c.id, c.name, k.outcome, k.message, k.message_facts AS facts
       FROM ${checkedChannels}
      WHERE k.outcome <> 'ok'
      ORDER BY k.outcome, c.name, c.id LIMIT ${MOST_UNCHECKED}`,
  );
  return rows.map(({ id, name, outcome, message, facts }) => ({
    channel_id: id,
    channel_name: name,
    outcome,
    message,
    message_facts: storedFacts(facts),
  }));
}

/** Ignores changes of a channel, or shows them again. Names without a change are skipped. Throws `not_found`. */
export async function ignoreModelChanges(
  db: Db,
  channelId: number,
  { models, ignored }: ModelChangeIgnore,
): Promise<void> {
  await getChannel(db, channelId);
  await db.channelModelChange.updateMany({
    where: { channel_id: channelId, model: { in: models } },
    data: { ignored },
  });
}
