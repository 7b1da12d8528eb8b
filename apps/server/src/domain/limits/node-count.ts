import { type Activity, startPeriodicTask } from "#platform/activity.ts";
import type { Pool } from "#platform/database/db.ts";
import { type Share, wholeShare } from "./levels.ts";

/** The number of gateway nodes that this node currently knows. */
export interface NodeCount {
  /** Returns the share of this node alone. */
  current(): Share;
  /** Returns the share of this node and its siblings together. */
  together(): Share;
  close(): Promise<void>;
}

const EVERY_MS = 10_000;
const RESTING_MS = 60_000;
const ALIVE_SECONDS = 30;

interface NodeCountOptions {
  /**
   * Called once, when the heartbeat of a node other than a sibling has advanced. A crashed node is counted
   * for a while, so its row alone is no evidence.
   */
  onSeveral?: (nodes: number) => void;
  /** Ids of the other workers of this machine, including those that ended recently. */
  siblings?: () => ReadonlySet<string>;
  /** Called after every count with the share of this node and its siblings. */
  onCount?: (together: Share) => void;
  everyMs?: number;
}

const alone: ReadonlySet<string> = new Set();

/**
 * Counts the nodes at once and every `everyMs`. While the database is unavailable, the last count stays in
 * use.
 */
export async function watchNodes(
  pool: Pool,
  nodeId: string,
  activity: Pick<Activity, "isResting" | "onWake">,
  onError: (error: unknown) => void,
  { onSeveral, onCount, siblings = () => alone, everyMs = EVERY_MS }: NodeCountOptions = {},
): Promise<NodeCount> {
  let share = wholeShare;
  let shareTogether = wholeShare;
  let report = onSeveral;
  let heartbeats = new Map<string, string>();
  async function look(): Promise<void> {
    const { rows } = await pool.query<{ id: string; heartbeat: string }>(
      "SELECT id, heartbeat::text FROM nodes WHERE heartbeat > now() - $1 * interval '1 second' ORDER BY id",
      [ALIVE_SECONDS],
    );
    const before = heartbeats;
    heartbeats = new Map(rows.map(({ id, heartbeat }) => [id, heartbeat]));
    const beating = rows.filter(({ id, heartbeat }) => before.has(id) && before.get(id) !== heartbeat);
    const own = new Set([nodeId, ...siblings()]);
    if (beating.some(({ id }) => !own.has(id))) {
      report?.(rows.length);
      report = undefined;
    }
    const rank = rows.findIndex(({ id }) => id === nodeId);
    // This node's own heartbeat is missing. It counts itself as an additional, last node.
    share = rank === -1 ? { nodes: rows.length + 1, rank: rows.length } : { nodes: rows.length, rank };
    // A worker that has just died is counted for a while. Its share still belongs to this machine.
    const further = rows.flatMap(({ id }, place) => (id !== nodeId && own.has(id) ? [place] : []));
    shareTogether = { ...share, further };
    onCount?.(shareTogether);
  }
  await look();
  const restingMs = Math.max(everyMs, RESTING_MS);
  const task = startPeriodicTask(activity, { everyMs, restingMs }, () => look().catch(onError));
  return {
    current: () => share,
    together: () => shareTogether,
    close: () => task.close(),
  };
}
