import type { Pool } from "#platform/db.ts";

/** The shape of the traffic: few users make most calls, each token knows three models, each model two channels. */
const channels = 20;
const models = 40;
const tokensPerUser = 2;

export async function fillUsers(pool: Pool, users: number): Promise<void> {
  await pool.query(
    `INSERT INTO users (username, aff_code, "group", created_time, inviter_id)
     SELECT 'seed-' || n, 'seed-' || n, (ARRAY['default', 'vip', 'svip'])[1 + n % 3],
            now() - (n % 60) * interval '1 day', NULL
       FROM generate_series(1, $1::int) n`,
    [users],
  );
  await pool.query(
    `INSERT INTO tokens (user_id, name, key_hash, key_encrypted, key_hint, unlimited_quota)
     SELECT u.id, 'key-' || n, decode(md5(u.id || '-' || n), 'hex'), '\\x00', 'sk-…', true
       FROM users u, generate_series(1, $1::int) n WHERE u.username LIKE 'seed-%' ORDER BY u.id, n`,
    [tokensPerUser],
  );
  await pool.query(
    `INSERT INTO channels (type, name) SELECT 1, 'seed channel ' || n FROM generate_series(1, $1::int) n`,
    [channels],
  );
}

/**
 * One day of the log and its roll-up. The rows go into a table of their own, which is indexed once and then attached:
 * ten times as fast as rows one by one.
 */
export async function fillDay(
  pool: Pool,
  { day, rows, seconds }: { day: Date; rows: number; seconds: number },
): Promise<void> {
  const from = day.toISOString();
  const to = new Date(day.getTime() + 86_400_000).toISOString();
  const name = `request_logs_${from.slice(0, 10).replaceAll("-", "")}`;
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`DROP TABLE IF EXISTS ${name}`);
    await client.query(`CREATE TABLE ${name} (LIKE request_logs INCLUDING DEFAULTS INCLUDING STORAGE)`);
    await client.query(rowsStatement(name), [from, rows, seconds]);
    await client.query(
      `ALTER TABLE request_logs ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
    await client.query(
      `INSERT INTO usage_hours (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count, quota,
         prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time)
       SELECT date_trunc('hour', created_at, 'UTC'), user_id, token_id, channel_id, model_name, "group",
         count(*) FILTER (WHERE type = 2), count(*) FILTER (WHERE type = 5), sum(quota), sum(prompt_tokens),
         sum(completion_tokens), sum(prompt_tokens) / 3, sum(request_time), sum(first_byte_time)
       FROM ${name} WHERE type IN (2, 5) GROUP BY 1, 2, 3, 4, 5, 6`,
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const bill = `{"price_type":"tokens","group_ratio":"1","exact":"2450.5","lines":[{"kind":"input_tokens","amount":1200,"ratio":"1.25"},{"kind":"cached_tokens","amount":400,"ratio":"0.125"},{"kind":"output_tokens","amount":180,"ratio":"5"}]}`;
const attempts = `[{"channel_id":1,"channel_name":"seed channel 1","result":"ok","status":200,"duration":1830,"message":""}]`;

function rowsStatement(table: string): string {
  return `
WITH people AS MATERIALIZED (
  SELECT array_agg(u.id ORDER BY u.id) AS ids, array_agg(u.username ORDER BY u.id) AS names,
    array_agg(u."group" ORDER BY u.id) AS groups, count(*)::int AS many
  FROM users u WHERE username LIKE 'seed-%'
), keys AS MATERIALIZED (SELECT min(id) AS first FROM tokens WHERE name LIKE 'key-%'),
roads AS MATERIALIZED (SELECT min(id) AS first FROM channels WHERE name LIKE 'seed channel %')
INSERT INTO ${table} (id, created_at, request_id, type, user_id, username, token_id, token_name, channel_id, "group",
  model_name, upstream_model, endpoint, is_stream, outcome, status, error_code, prompt_tokens, completion_tokens, quota,
  request_time, first_byte_time, source_ip, price_version_id, bill, attempts)
SELECT nextval(pg_get_serial_sequence('request_logs', 'id')),
  $1::timestamptz + make_interval(secs => (r.n - 1) * $3::float8 / $2::int), gen_random_uuid()::text,
  CASE WHEN fate < 0.001 THEN 1 WHEN fate < 0.03 THEN 5 ELSE 2 END, ids[person], names[person],
  k.first + (person - 1) * ${tokensPerUser} + key, 'key-' || key + 1, road.first + (model * 7 + spare * 5) % ${channels},
  groups[person], 'model-' || model, 'vendor-model-' || model, '/v1/chat/completions', fate < 0.6,
  CASE WHEN fate < 0.03 THEN 'failed' ELSE 'complete' END, CASE WHEN fate < 0.03 THEN 502 ELSE 200 END,
  CASE WHEN fate < 0.03 THEN 'upstream_error' ELSE '' END, tokens, tokens / 4,
  CASE WHEN fate < 0.03 THEN 0 ELSE tokens * 2 END, 400 + tokens, 200 + tokens / 8,
  '10.' || person % 200 || '.' || key || '.' || spare, 1,
  CASE WHEN fate < 0.03 THEN NULL ELSE '${bill}'::jsonb END, '${attempts}'::jsonb
FROM (
  SELECT n, 1 + floor(many * power(random(), 3))::int AS person, floor(random() * ${tokensPerUser})::int AS key,
    floor(random() * 3)::int AS choice, floor(random() * 2)::int AS spare, random() AS fate,
    100 + floor(3000 * power(random(), 2))::int AS tokens
  FROM generate_series(1, $2::int) n, people
) r CROSS JOIN people CROSS JOIN keys k CROSS JOIN roads road
CROSS JOIN LATERAL (SELECT (person * 7 + key * 3 + choice * 11) % ${models} AS model) m
ORDER BY r.n`;
}
