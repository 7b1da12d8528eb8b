import type { Pool } from "#platform/db.ts";

/** Rows of a settlement's size, into an empty day and into one that is full: what growing costs. */
const batch = 100;
const batches = 200;

export async function insertCost(pool: Pool): Promise<string[]> {
  const empty = "2099-01-01T00:00:00Z";
  const { rows } = await pool.query<{ at: Date; many: string }>(
    `SELECT max(created_at) AS at, count(*)::text AS many FROM request_logs
      WHERE created_at >= date_trunc('day', now() - interval '1 day', 'UTC') AND created_at < date_trunc('day', now(), 'UTC')`,
  );
  const full = rows[0]?.at ?? new Date();
  await pool.query(
    "CREATE TABLE request_logs_20990101 PARTITION OF request_logs FOR VALUES FROM ('2099-01-01T00:00:00Z') TO ('2099-01-02T00:00:00Z')",
  );
  try {
    const [first, second] = [await fill(pool, empty), await fill(pool, full.toISOString())];
    return [
      `Rows in batches of ${batch}, all indexes included, the roll-up not:`,
      "",
      `- into an empty day: ${first.toFixed(0)} µs a row`,
      `- into a day of ${Number(rows[0]?.many).toLocaleString("en")} rows: ${second.toFixed(0)} µs a row`,
    ];
  } finally {
    await pool.query("DELETE FROM request_logs WHERE request_id LIKE 'cost-%' AND created_at = $1", [full]);
    await pool.query("DROP TABLE request_logs_20990101");
  }
}

/** Microseconds a row. */
async function fill(pool: Pool, at: string): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < batches; n += 1) {
    await pool.query(
      `INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id, "group",
         model_name, endpoint, prompt_tokens, completion_tokens, quota, request_time, source_ip, bill)
       SELECT $1, 'cost-' || gen_random_uuid(), 2, (random() * 2000)::int, 'seed', 1, 'key-1', (random() * 20)::int, 'default',
         'model-' || (random() * 40)::int, '/v1/chat/completions', 100, 20, 300, 800, '10.0.0.' || (random() * 200)::int,
         '{"price_type":"tokens","group_ratio":"1","exact":"300","lines":[]}'
       FROM generate_series(1, $2::int)`,
      [at, batch],
    );
  }
  return ((performance.now() - started) * 1000) / (batch * batches);
}
