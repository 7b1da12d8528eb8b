import { writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { readCommandLine } from "../command-line.ts";
import { openBenchDatabase } from "./database.ts";
import { forgetReads, indexUse, spaceOf } from "./indexes.ts";
import { batch, callsPerRound, insertCost, rounds } from "./insert-cost.ts";
import { plansOf, watched } from "./plans.ts";
import { type Screen, screensOf, takeSample } from "./screens.ts";

/**
 * `pnpm measure:logs`: how long each screen waits for the log and its roll-ups, over many runs, with the
 * query plans. It needs a database that `pnpm seed:logs` has filled. `--write` stores the result in
 * apps/server/bench/logs/log-queries.md.
 */
const { runs, only, plans, write } = readCommandLine("pnpm measure:logs", {
  runs: { whole: 40, help: "runs of each query" },
  only: { text: "", help: "only screens with this in their name" },
  plans: { flag: true, help: "prints the query plans" },
  write: { text: "", help: "file that the result is written to" },
});
const writing = `Database cost of completing a call (balances, log row with all indexes, roll-up) through the ledger, ${batch} calls per statement,
into days with an increasing number of calls: median of ${rounds} rounds of ${callsPerRound} calls. The days alternate, so that other load on the
machine affects all of them.`;

const bench = await openBenchDatabase();
try {
  const { pool } = bench.database;
  const { rows } = await pool.query(
    `SELECT (SELECT sum(request_count + failed_count) FROM usage_totals WHERE kind = 'site' AND span = 'hour') AS calls,
       (SELECT count(*) FROM pg_inherits WHERE inhparent = 'request_logs'::regclass) AS partitions,
       (SELECT sum(reltuples)::bigint FROM pg_class WHERE relname IN ('usage_hours', 'usage_days')) AS hours`,
  );
  if (rows[0]?.calls === null)
    throw new Error("This database has no calls. Fill it with pnpm seed:logs first.");
  const head = `${Number(rows[0]?.calls).toLocaleString("en")} calls in ${String(rows[0]?.partitions)} partitions, ${Number(rows[0]?.hours).toLocaleString("en")} roll-up rows, ${runs} runs each`;
  console.log(head);
  const screens = screensOf(bench.database, await takeSample(pool)).filter((screen) =>
    screen.name.includes(only),
  );
  await forgetReads(pool);
  const lines: string[] = [];
  for (const screen of screens) {
    const times = await timesOf(screen);
    const line = `| ${screen.name.padEnd(42)} | ${times.map(ms).join(" | ")} |`;
    console.log(line);
    lines.push(line);
    if (plans) console.log(await plansOf(pool, await watched(pool, screen)));
  }
  const indexes = await indexUse(pool);
  for (const line of indexes) console.log(line);
  const space = await spaceOf(pool);
  for (const line of space) console.log(line);
  const costs = "inserts".includes(only)
    ? await insertCost(bench.database.url, (line) => console.log(line))
    : [];
  const inserts = costs.map(
    ({ rows: rowsBefore, processor, clock }) =>
      `| ${rowsBefore.toLocaleString("en").padStart(9)} | ${us(processor)} | ${us(clock)} |`,
  );
  for (const line of inserts) console.log(line);
  if (write !== "") {
    const table = `| screen | least ms | p50 ms | p95 ms |\n| --- | ---: | ---: | ---: |\n${lines.join("\n")}\n`;
    await writeFile(write, page({ head, table, space, indexes, inserts }));
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
  space: readonly string[];
  indexes: readonly string[];
  inserts: readonly string[];
}

function page({ head, table, space, indexes, inserts }: Outcome): string {
  const loads = loadavg().map((load) => load.toFixed(0));
  return `# Log queries

Run times of the queries of each screen, and the cost of writing to the log. Written by \`pnpm seed:logs\` and
\`pnpm measure:logs --write apps/server/bench/logs/log-queries.md\`. \`--plans\` prints the query plans.

${head}. One machine with ${cpus().length} cores and a load average of ${loads.join(", ")}. A busy machine increases p95 most.

${table}
"totals" of a token name, an address or a request read at most 10,000 rows and state this. All others use roll-ups, and the log for the
incomplete hours at both ends. Conditions without an index (outcome, error code, retries, duration, cost) and the counts beside the filters
("facets") read at most 10,000 of the rows that match the indexed fields; a list continues from there.

A list that is not ordered by time sorts the newest 10,000 rows of its filter, which costs about as much as the totals of an address.

## Writing

${writing}

| Calls in the day | CPU, µs | Duration, µs |
| ---: | ---: | ---: |
${inserts.join("\n")}

## Space

Bytes per call of the log and its roll-ups, with and without indexes. Days of the log that ended more than a day ago are in the short form.

| Table | Rows | Indexes | Together |
| --- | ---: | ---: | ---: |
${space.join("\n")}

## Indexes

Purpose of each index, its size per call, and how often the screens above read it (once per day of the log).

| Index | Purpose | Bytes per call | Reads |
| --- | --- | ---: | ---: |
${indexes.join("\n")}
`;
}
