import type { Pool } from "#platform/database/db.ts";

/** Which part of every limit is this node's when the nodes cannot ask each other: the parts add up to the limit. */
export interface Share {
  /** Gateways that share the work. */
  nodes: number;
  /** This one's place among them, from 0. */
  rank: number;
  /** Places of others that count together with this one: the workers of one machine. */
  further?: readonly number[];
}

export const wholeShare: Share = { nodes: 1, rank: 0 };

/** What does not divide evenly goes to the first nodes, one each; a node may be left with nothing. */
export function shareOf(limit: number, { nodes, rank, further = [] }: Share): number {
  const whole = Math.floor(limit / nodes);
  return [rank, ...further].reduce((sum, place) => sum + whole + (place < limit % nodes ? 1 : 0), 0);
}

/** How many gateways there are, as far as this one has heard. */
export interface NodeCount {
  /** The share of this node alone. */
  current(): Share;
  /** The share of this node and its siblings together. */
  together(): Share;
  close(): void;
}

const EVERY_MS = 10_000;
const ALIVE_SECONDS = 30;

interface NodeCountOptions {
  /** Called once, when the heartbeat of a node that is no sibling has moved: a node that crashed is counted for a while. */
  onSeveral?: (nodes: number) => void;
  /** Ids of the other workers of this machine, those that ended a moment ago included. */
  siblings?: () => ReadonlySet<string>;
  /** After every count, with the share of this node and its siblings. */
  onCount?: (together: Share) => void;
  everyMs?: number;
}

const alone: ReadonlySet<string> = new Set();

/**
 * Counts at once and every `everyMs`. While the database is away the last count stands.
 */
export async function watchNodes(
  pool: Pool,
  nodeId: string,
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
    // Not heard itself: the others may not count it, so it takes nothing of theirs.
    share = rank === -1 ? { nodes: rows.length + 1, rank: rows.length } : { nodes: rows.length, rank };
    // A worker that has just died is counted for a while; its share is still this machine's.
    const further = rows.flatMap(({ id }, place) => (id !== nodeId && own.has(id) ? [place] : []));
    shareTogether = { ...share, further };
    onCount?.(shareTogether);
  }
  await look();
  const timer = setInterval(() => {
    look().catch(onError);
  }, everyMs);
  timer.unref();
  return {
    current: () => share,
    together: () => shareTogether,
    close: () => clearInterval(timer),
  };
}
