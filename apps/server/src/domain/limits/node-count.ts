import type { Pool } from "#platform/db.ts";

/** Which part of every limit is this node's when the nodes cannot ask each other: the parts add up to the limit. */
export interface Share {
  /** Gateways that share the work. */
  nodes: number;
  /** This one's place among them, from 0. */
  rank: number;
}

export const wholeShare: Share = { nodes: 1, rank: 0 };

/** What does not divide evenly goes to the first nodes, one each; a node may be left with nothing. */
export function shareOf(limit: number, { nodes, rank }: Share): number {
  return Math.floor(limit / nodes) + (rank < limit % nodes ? 1 : 0);
}

/** How many gateways there are, as far as this one has heard. */
export interface NodeCount {
  current(): Share;
  close(): void;
}

const EVERY_MS = 10_000;
const ALIVE_SECONDS = 30;

/**
 * Counts at once and every `everyMs`. While the database is away the last count stands.
 * @param onSeveral called once, when another node's heartbeat has moved: a node that crashed is counted for a while
 */
export async function watchNodes(
  pool: Pool,
  nodeId: string,
  onError: (error: unknown) => void,
  { onSeveral, everyMs = EVERY_MS }: { onSeveral?: (nodes: number) => void; everyMs?: number } = {},
): Promise<NodeCount> {
  let share = wholeShare;
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
    if (beating.some(({ id }) => id !== nodeId)) {
      report?.(rows.length);
      report = undefined;
    }
    const rank = rows.findIndex(({ id }) => id === nodeId);
    // Not heard itself: the others may not count it, so it takes nothing of theirs.
    share = rank === -1 ? { nodes: rows.length + 1, rank: rows.length } : { nodes: rows.length, rank };
  }
  await look();
  const timer = setInterval(() => {
    look().catch(onError);
  }, everyMs);
  timer.unref();
  return { current: () => share, close: () => clearInterval(timer) };
}
