import type { Pool } from "#platform/database/db.ts";
import type { Screen } from "./screens.ts";

export interface Requested {
  text: string;
  values: unknown[];
}

/** Returns the statements that a screen sends. */
export async function watched(pool: Pool, screen: Screen): Promise<Requested[]> {
  const requested: Requested[] = [];
  const listening = new Proxy(pool, {
    get(target, name) {
      if (name !== "query") return Reflect.get(target, name);
      return (text: string, values: unknown[] = []) => {
        requested.push({ text, values });
        return target.query(text, values);
      };
    },
  });
  await screen.ask(listening);
  return requested;
}

export async function plansOf(pool: Pool, requested: readonly Requested[]): Promise<string> {
  const plans: string[] = [];
  for (const { text, values } of requested) {
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ${text}`,
      values,
    );
    plans.push(condense(rows.map((row) => row["QUERY PLAN"])));
  }
  return plans.join("\n\n");
}

/**
 * Shortens a plan to one partition. Lines of other partitions and parts that were not executed are omitted.
 */
function condense(lines: readonly string[]): string {
  const kept: string[] = [];
  let seen = 0;
  let skipping = -1;
  for (const line of lines) {
    const depth = line.search(/\S/);
    if (skipping >= 0 && depth > skipping) continue;
    skipping = -1;
    const partition = /on request_logs_(\d{8}|default)/.test(line);
    if (line.includes("(never executed)") || (partition && seen > 0)) {
      skipping = depth;
      continue;
    }
    if (partition) seen += 1;
    kept.push(line.length > 220 ? `${line.slice(0, 219)}…` : line);
  }
  return kept.join("\n");
}
