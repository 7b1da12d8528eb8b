import type { Pool } from "#platform/db.ts";

/** How many gateways share the work, as far as this one has heard: what its share of a limit is made of. */
export interface NodeCount {
  current(): number;
  close(): void;
}

const EVERY_MS = 10_000;
const ALIVE_SECONDS = 30;

/** Counts at once and every ten seconds. While the database is away the last count stands. */
export async function watchNodes(pool: Pool, onError: (error: unknown) => void): Promise<NodeCount> {
  let count = 1;
  async function look(): Promise<void> {
    const { rows } = await pool.query<{ alive: bigint }>(
      "SELECT count(*) AS alive FROM nodes WHERE heartbeat > now() - $1 * interval '1 second'",
      [ALIVE_SECONDS],
    );
    count = Math.max(1, Number(rows[0]?.alive ?? 1));
  }
  await look();
  const timer = setInterval(() => {
    look().catch(onError);
  }, EVERY_MS);
  timer.unref();
  return { current: () => count, close: () => clearInterval(timer) };
}
