import { compactDays } from "#domain/logs/compact-days.ts";
import { closeHours } from "#domain/usage/close-hours.ts";
import { closeMonths } from "#domain/usage/close-months.ts";
import { packDays } from "#domain/usage/days/pack-days.ts";
import { dropUserHours } from "#domain/usage/drop-user-hours.ts";
import { readCommandLine } from "../command-line.ts";
import { openBenchDatabase } from "./database.ts";
import { fillDay, fillUsers } from "./rows.ts";

/**
 * `pnpm seed:logs`: fills an empty database with historical data (DATABASE_URL, or an embedded one in
 * DATA_DIR): users, tokens, channels, a month of the request log and its roll-ups.
 */
const { rows, days, users } = readCommandLine("pnpm seed:logs", {
  rows: { whole: 10_000_000, help: "log rows" },
  days: { whole: 30, help: "days that they are spread over, the last one today" },
  users: { whole: 2_000, help: "users" },
});
const dayMs = 86_400_000;

const bench = await openBenchDatabase();
try {
  const { db, pool } = bench.database;
  const { rows: found } = await pool.query("SELECT FROM request_logs LIMIT 1");
  if (found.length > 0) throw new Error("This database has a request log already. Take an empty one.");
  await fillUsers(pool, users);
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const perDay = Math.ceil(rows / days);
  for (let ago = days - 1; ago >= 0; ago -= 1) {
    const started = performance.now();
    const day = new Date(today - ago * dayMs);
    // Today ends at the current time.
    const seconds = ago === 0 ? Math.max(60, Math.floor((Date.now() - today) / 1000)) : 86_400;
    const many = Math.ceil((perDay * seconds) / 86_400);
    await fillDay(pool, { day, rows: many, seconds });
    const took = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${day.toISOString().slice(0, 10)}  ${many.toLocaleString("en")} rows in ${took} s`);
  }
  // Credits what was charged, so that the audit finds no difference.
  await pool.query(`
    WITH used AS (SELECT user_id, sum(quota) AS quota, sum(request_count) AS calls FROM usage_hours GROUP BY 1),
    given AS (INSERT INTO ledger_entries (user_id, kind, amount, reference, created_time)
      SELECT u.id, 'topup', COALESCE(s.quota, 0) + 5000000, 'seed:' || u.id, u.created_time
      FROM users u LEFT JOIN used s ON s.user_id = u.id WHERE username LIKE 'seed-%' RETURNING user_id, amount)
    UPDATE users u SET quota = g.amount - COALESCE(s.quota, 0), used_quota = COALESCE(s.quota, 0),
      request_count = COALESCE(s.calls, 0)
    FROM given g LEFT JOIN used s ON s.user_id = g.user_id WHERE u.id = g.user_id`);
  await pool.query(`UPDATE tokens t SET used_quota = s.quota
    FROM (SELECT token_id, sum(quota) AS quota FROM usage_hours GROUP BY 1) s WHERE s.token_id = t.id`);
  console.log(
    `${await closeHours(pool)} hours summed, months closed: ${(await closeMonths(db)).join(", ") || "none"}`,
  );
  console.log(`${await dropUserHours(pool)} hours of users dropped.`);
  console.log(`${await packDays(pool)} rows of packed days.`);
  // In normal use, later rows take the space of dropped ones.
  await pool.query("VACUUM FULL usage_totals, usage_hours");
  console.log(`${(await compactDays(pool)).length} days rewritten in the short form.`);
  await pool.query("VACUUM ANALYZE");
  const { rows: sizes } = await pool.query(
    `SELECT (SELECT count(*) FROM usage_hours) + (SELECT count(*) FROM usage_days) AS hours, pg_size_pretty(pg_database_size(current_database())) AS size`,
  );
  console.log(`Done: ${String(sizes[0]?.hours)} roll-up rows, ${String(sizes[0]?.size)}.`);
} finally {
  await bench.close();
}
