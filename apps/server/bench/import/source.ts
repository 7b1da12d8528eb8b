/** A One Hub database of any size, filled with SQL that SQLite and Postgres both understand. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";

export interface SourceSize {
  users: number;
  tokens: number;
  logs: number;
}

type Run = (sql: string) => Promise<void>;

const whole = /(^|_)(id|time|at|quota|count|status|role|type|tokens|rate|min|max|height)$/;
const models = ["gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-pro", "deepseek-chat"];
const daySeconds = 86_400;
const logDays = 30;
/** Rows of `statistics` per user. */
const usageDays = 3;
const bcrypt = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

export async function fillSqlite(path: string, size: SourceSize): Promise<void> {
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    await fill(async (sql) => database.exec(sql), size);
  } finally {
    database.close();
  }
}

export async function fillPostgres(url: string, size: SourceSize): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await fill(async (sql) => void (await client.query(sql)), size);
    await client.query("ANALYZE");
  } finally {
    await client.end();
  }
}

async function fill(run: Run, { users, tokens, logs }: SourceSize): Promise<void> {
  for (const [table, names] of Object.entries(oneHubColumns)) await run(creation(table, names));
  const end = Math.floor(Date.now() / 1_000);
  const start = end - logDays * daySeconds;
  await run(`INSERT INTO user_groups (id, symbol, name, ratio, public, enable, api_rate)
    VALUES (1, 'default', 'Default', '1', '1', '1', 600), (2, 'vip', 'VIP', '0.8', '0', '1', 600)`);
  for (const [place, model] of models.entries())
    await run(`INSERT INTO prices (model, type, channel_type, input, output, extra_ratios)
      VALUES ('${model}', 'tokens', 1, '${place + 1}', '${2 * (place + 1)}', '{}')`);
  await run(`INSERT INTO channels (id, type, key, status, name, weight, models, "group", priority, created_time)
    VALUES (1, 1, 'sk-of-the-provider', 1, 'openai', 1, '${models.join(",")}', 'default,vip', '0', ${start})`);
  await run(`INSERT INTO users (id, username, password, display_name, role, status, email, github_id, github_id_new, quota,
      used_quota, request_count, "group", aff_code, inviter_id, created_time)
    ${numbers(users)} SELECT i, 'user-' || i, '${bcrypt}', 'User ' || i, CASE i WHEN 1 THEN 100 ELSE 1 END, 1,
      'user-' || i || '@example.test', 'login-' || i, CASE i % 3 WHEN 0 THEN 1000 + i ELSE 0 END, 500000 + i, 100 * (i % 1000), i % 500,
      CASE i % 10 WHEN 0 THEN 'vip' ELSE 'default' END, 'a' || i, i / 10, ${start} FROM n`);
  await run(`INSERT INTO tokens (id, user_id, key, status, name, created_time, expired_time, remain_quota, unlimited_quota,
      used_quota, "group", setting)
    ${numbers(tokens)} SELECT i, 1 + i % ${users}, 'bench' || (1000000000 + i) || 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg', 1,
      'key ' || i, ${start}, -1, 100000 + i, i % 2, i % 100, '', '{}' FROM n`);
  await run(`INSERT INTO statistics (date, user_id, channel_id, model_name, request_count, quota, prompt_tokens, completion_tokens)
    ${numbers(users * usageDays)} SELECT '2026-01-0' || (1 + i / ${users} % ${usageDays}), 1 + i % ${users}, 1, ${modelOf("i")}, 2, 30,
      20, 5 FROM n`);
  await run(`INSERT INTO logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens,
      completion_tokens, channel_id, request_time, is_stream, source_ip, metadata)
    ${numbers(logs)} SELECT i, 1 + i % ${users}, ${start} + i * ${logDays * daySeconds} / ${Math.max(1, logs)}, 2, '',
      'user-' || (1 + i % ${users}), 'key ' || (1 + i % ${tokens}), ${modelOf("i")},
      (100 + i % 900 + 2 * (i % 50)) * (1 + i % ${models.length}), 100 + i % 900, i % 50, 1, 900 + i % 4000, '1', '203.0.113.7',
      '{"group_name":"default","group_ratio":1,"input_ratio":' || (1 + i % ${models.length}) || ',"output_ratio":' ||
      (2 * (1 + i % ${models.length})) || ',"price_type":"tokens","first_response":' || (200 + i % 700) || '}' FROM n`);
  for (const table of ["users", "tokens", "logs"])
    await run(`CREATE UNIQUE INDEX ${table}_id ON ${table} (id)`);
  await run("CREATE INDEX logs_created_at ON logs (created_at)");
}

function creation(table: string, names: string): string {
  const columns = names.split(" ").map((name) => `"${name}" ${typeOf(table, name)}`);
  return `CREATE TABLE "${table}" (${columns.join(", ")})`;
}

function typeOf(table: string, column: string): string {
  if (column === "deleted_at") return "timestamp";
  if (table === "prices" || table === "payments") return column === "channel_type" ? "bigint" : "text";
  if (column === "github_id") return "text";
  return whole.test(column) || column === "github_id_new" ? "bigint" : "text";
}

/** The numbers from 1 on as `n(i)`. */
function numbers(count: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) WHERE ${count} > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
}

function modelOf(number: string): string {
  const cases = models.map((model, place) => `WHEN ${place} THEN '${model}'`);
  return `CASE ${number} % ${models.length} ${cases.join(" ")} END`;
}
