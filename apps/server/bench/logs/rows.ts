import { randomUUID } from "node:crypto";
import type { AttemptNote, Bill } from "@gateway/shared/usage/log";
import type pg from "pg";
import type { Pool } from "#platform/database/db.ts";
import { copyInto } from "./copy.ts";

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
     SELECT u.id, 'key-' || n, decode(md5(u.id || '-' || n), 'hex'), '\\x', 'sk-…', true
       FROM users u, generate_series(1, $1::int) n WHERE u.username LIKE 'seed-%' ORDER BY u.id, n`,
    [tokensPerUser],
  );
  await pool.query(
    `INSERT INTO channels (type, name) SELECT 1, 'seed channel ' || n FROM generate_series(1, $1::int) n`,
    [channels],
  );
}

interface Day {
  /** Midnight UTC. */
  day: Date;
  rows: number;
  /** Period over which the rows are distributed, in seconds. */
  seconds: number;
}

/**
 * Inserts one day of the log with COPY, and its roll-up. The rows go into a separate table, which is indexed
 * once and then attached. That is ten times as fast as inserting into an indexed table.
 */
export async function fillDay(pool: Pool, { day, rows, seconds }: Day): Promise<void> {
  const from = day.toISOString();
  const to = new Date(day.getTime() + 86_400_000).toISOString();
  const name = `request_logs_${from.slice(0, 10).replaceAll("-", "")}`;
  const client = await pool.connect();
  try {
    const people = await peopleOf(client);
    await client.query("BEGIN");
    await client.query("SET LOCAL maintenance_work_mem = '256MB'");
    await client.query(`DROP TABLE IF EXISTS ${name}`);
    await client.query(`CREATE TABLE ${name} (LIKE request_logs INCLUDING DEFAULTS INCLUDING STORAGE)`);
    const { rows: ids } = await client.query<{ last: bigint }>(
      "SELECT setval(s.name, nextval(s.name) + $1) AS last FROM (SELECT pg_get_serial_sequence('request_logs', 'id') AS name) s",
      [rows],
    );
    const firstId = Number(ids[0]?.last ?? 0n) - rows;
    await copyInto(client, `${name} (${columns})`, linesOf({ day, rows, seconds }, people, firstId));
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

export interface People {
  users: { id: number; username: string; group: string }[];
  firstToken: number;
  firstChannel: number;
}

export async function peopleOf(client: pg.Pool | pg.PoolClient): Promise<People> {
  const users = await client.query(
    `SELECT id, username, "group" FROM users WHERE username LIKE 'seed-%' ORDER BY id`,
  );
  const firsts = await client.query(
    `SELECT (SELECT min(id) FROM tokens WHERE name LIKE 'key-%') AS token,
       (SELECT min(id) FROM channels WHERE name LIKE 'seed channel %') AS channel`,
  );
  return { users: users.rows, firstToken: firsts.rows[0]?.token, firstChannel: firsts.rows[0]?.channel };
}

/** Returns the bill of a call: a third of its input is cached, which costs a tenth. */
export function billOf({ tokens }: { tokens: number }): Bill {
  const cached = Math.floor(tokens / 30) * 10;
  const lines = [
    { kind: "input", amount: tokens - cached, ratio: "1.25" },
    { kind: "cached_tokens", amount: cached, ratio: "0.125" },
    { kind: "output", amount: Math.round(tokens / 4), ratio: "5" },
  ];
  const exact = lines.reduce((sum, { amount, ratio }) => sum + amount * Number(ratio), 0);
  return { price_type: "tokens", group_ratio: "1", lines, exact: String(exact) };
}

export function attemptsOf({ channelId, tokens }: { channelId: number; tokens: number }): AttemptNote[] {
  const name = `seed channel ${channelId}`;
  return [
    {
      channel_id: channelId,
      channel_name: name,
      result: "ok",
      status: 200,
      duration: 390 + tokens,
      message: "",
    },
  ];
}

const columns = `id, created_at, request_id, type, user_id, username, token_id, token_name, channel_id, "group",
  model_name, upstream_model, endpoint, is_stream, outcome, status, error_code, prompt_tokens, completion_tokens, quota,
  request_time, first_byte_time, source_ip, price_version_id, bill, attempts`;

const linesPerChunk = 200;

function* linesOf({ day, rows, seconds }: Day, people: People, firstId: number): Generator<string> {
  let chunk: string[] = [];
  for (let n = 0; n < rows; n += 1) {
    const at = new Date(day.getTime() + Math.floor((n * seconds * 1000) / rows));
    chunk.push(lineOf(at, people, firstId + n));
    if (chunk.length === linesPerChunk || n === rows - 1) {
      yield chunk.join("");
      chunk = [];
    }
  }
}

function lineOf(at: Date, people: People, id: number): string {
  const call = inventCall(people);
  const fate = Math.random();
  const failed = fate < 0.03;
  const bill = failed ? null : billOf(call);
  const fields = [
    id,
    at.toISOString(),
    randomUUID(),
    fate < 0.001 ? 1 : failed ? 5 : 2,
    call.userId,
    call.username,
    call.tokenId,
    call.tokenName,
    call.channelId,
    call.group,
    call.modelName,
    call.upstreamModel,
    "/v1/chat/completions",
    fate < 0.6 ? "t" : "f",
    failed ? "failed" : "complete",
    failed ? 502 : 200,
    failed ? "upstream_error" : "",
    call.tokens,
    Math.round(call.tokens / 4),
    bill === null ? 0 : Math.ceil(Number(bill.exact)),
    400 + call.tokens,
    200 + Math.round(call.tokens / 8),
    call.sourceIp,
    1,
    bill === null ? "\\N" : JSON.stringify(bill),
    JSON.stringify(attemptsOf(call)),
  ];
  return `${fields.join("\t")}\n`;
}

/** Creates a random call. Few users make most calls; a token uses three models, and a model two channels. */
export function inventCall({ users, firstToken, firstChannel }: People) {
  const person = Math.floor(users.length * Math.random() ** 3);
  const { id: userId, username, group } = users[person] ?? { id: 0, username: "", group: "" };
  const key = below(tokensPerUser);
  const spare = below(2);
  const model = ((person + 1) * 7 + key * 3 + below(3) * 11) % models;
  return {
    userId,
    username,
    tokenId: firstToken + person * tokensPerUser + key,
    tokenName: `key-${key + 1}`,
    channelId: firstChannel + ((model * 7 + spare * 5) % channels),
    group,
    modelName: `model-${model}`,
    upstreamModel: `provider-model-${model}`,
    sourceIp: `10.${(person + 1) % 200}.${key}.${spare}`,
    tokens: 100 + Math.floor(3000 * Math.random() ** 2),
  };
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
