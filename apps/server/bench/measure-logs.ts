import { writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { openBenchDatabase } from "./logs/database.ts";
import { forgetReads, indexUse } from "./logs/indexes.ts";
import { batch, callsPerRound, insertCost, rounds } from "./logs/insert-cost.ts";
import { plansOf, watched } from "./logs/plans.ts";
import { type Screen, screensOf, takeSample } from "./logs/screens.ts";

/**
 * `pnpm measure:logs`: how long each screen waits for the log and its roll-ups, over many runs, with the
 * query plans. It needs a database that `pnpm seed:logs` has filled. `--write` stores the result in
 * docs/log-queries.md.
 */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "40" },
    only: { type: "string", default: "" },
    plans: { type: "boolean", default: false },
    write: { type: "string" },
  },
});
const runs = Number(values.runs);
/** Plans that are written to the file; `--plans` prints all. */
const kept = new Set([
  "list: no filter",
  "list: own, model",
  "totals: no filter",
  "explain by row",
  "explain by request",
  "dashboard: eight days",
  "analytics: 30 days by model",
  "analytics: 30 days by user",
]);

const writing = `What ending a call costs the database (balances, log row with all its indexes, roll-up), through the ledger, ${batch} calls
to a statement, into days that hold ever more calls: median of ${rounds} rounds of ${callsPerRound} calls. The days alternate, so that other load on
the machine affects all of them. The processor time shows the cost of a day's size.`;

const bench = await openBenchDatabase();
try {
  const { pool } = bench.database;
  const { rows } = await pool.query(
    `SELECT (SELECT sum(request_count + failed_count) FROM usage_totals WHERE kind = 'site' AND span = 'hour') AS calls,
       (SELECT count(*) FROM pg_inherits WHERE inhparent = 'request_logs'::regclass) AS partitions,
       (SELECT reltuples::bigint FROM pg_class WHERE oid = 'usage_hours'::regclass) AS hours`,
  );
  const head = `${Number(rows[0]?.calls).toLocaleString("en")} calls in ${String(rows[0]?.partitions)} partitions, ${Number(rows[0]?.hours).toLocaleString("en")} roll-up rows, ${runs} runs each`;
  console.log(head);
  const screens = screensOf(bench.database, await takeSample(pool)).filter((screen) =>
    screen.name.includes(values.only),
  );
  await forgetReads(pool);
  const lines: string[] = [];
  const plans: string[] = [];
  for (const screen of screens) {
    const times = await timesOf(screen);
    const line = `| ${screen.name.padEnd(42)} | ${times.map(ms).join(" | ")} |`;
    console.log(line);
    lines.push(line);
    if (values.plans || values.write !== undefined) {
      const found = await plansOf(pool, await watched(pool, screen));
      if (values.plans) console.log(found);
      if (kept.has(screen.name)) plans.push(`### ${screen.name}\n\n\`\`\`text\n${found}\n\`\`\`\n`);
    }
  }
  const indexes = await indexUse(pool);
  for (const line of indexes) console.log(line);
  const costs = "inserts".includes(values.only)
    ? await insertCost(bench.database.url, (line) => console.log(line))
    : [];
  const inserts = costs.map(
    ({ rows: rowsBefore, processor, clock }) =>
      `| ${rowsBefore.toLocaleString("en").padStart(9)} | ${us(processor)} | ${us(clock)} |`,
  );
  for (const line of inserts) console.log(line);
  if (values.write !== undefined) {
    const table = `| screen | least ms | p50 ms | p95 ms |\n| --- | ---: | ---: | ---: |\n${lines.join("\n")}\n`;
    await writeFile(values.write, page({ head, table, indexes, inserts, plans }));
  }
} finally {
  await bench.close();
}

/** Returns the minimum, p50 and p95 in milliseconds. */
async function timesOf(screen: Screen): Promise<number[]> {
  const times: number[] = [];
  for (let run = -3; run < runs; run += 1) {
    const started = performance.now();
    await screen.ask(bench.database.pool);
    // The first runs warm up caches, as normal use of a screen does.
    if (run >= 0) times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return [at(0), at(0.5), at(0.95)];
}

function us(value: number): string {
  return Number.isNaN(value) ? "–" : value.toFixed(0);
}

function ms(value: number): string {
  return value.toFixed(1).padStart(7);
}

interface Outcome {
  head: string;
  table: string;
  indexes: readonly string[];
  inserts: readonly string[];
  plans: readonly string[];
}

function page({ head, table, indexes, inserts, plans }: Outcome): string {
  return `# What the log costs to read and to write

Written by \`pnpm seed:logs\` and \`pnpm measure:logs --write docs/log-queries.md\`; every figure is one run on one machine
(load average ${loadavg()
    .map((load) => load.toFixed(0))
    .join(
      ", ",
    )} on ${cpus().length} cores; a busy one makes every p95 worse, and the least shows what the screen itself takes). ${head}.

${table}
"totals" of a token name, an address or a request read at most 10,000 rows and say so; all others come from roll-ups and
from the begun hours at both ends. Conditions without an index (outcome, error code, retries, duration, cost) and the counts
beside the filters ("facets") read at most 10,000 rows of what the indexed fields let through; a list goes on from there.

## Writing

${writing}

| calls that the day held | µs of processor | µs by the clock |
| ---: | ---: | ---: |
${inserts.join("\n")}

## Indexes

What each index is for, takes per call, and how often the screens above read it (once per day of the log).

| index | for | bytes per call | reads |
| --- | --- | ---: | ---: |
${indexes.join("\n")}

## Plans

Of some of them; partitions that were not read, or read like the first, are left out. \`--plans\` prints all.

${plans.join("\n")}`;
}
