import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { emptyDatabase } from "#test/database.ts";

/** Databases of other gateways: tables as those programs create them, with the rows of a test. */
export type Rows = Record<string, Record<string, unknown>[]>;

export interface ForeignDatabase {
  /** Value of `--from`. */
  from: string;
  /** Runs SQL that both database systems support. */
  run(sql: string): Promise<void>;
  remove(): Promise<void>;
}

const whole =
  /(^|_)(id|time|at|quota|count|status|role|type|weight|priority|tokens|rate|min|max|sort|length|code|ban|history)$|^(amount|progress|sign_count|github_id_new|telegram_id)$/;
const decimal = /^(input|output|ratio|fixed_fee|percent_fee|order_amount|fee|discount|balance|money)$/;
const switches =
  /^(unlimited_quota|public|enable|promotion|locked|only_chat|is_stream|model_limits_enabled|is_enabled)$/;
const texts =
  /^(aff_code|mj_id|task_id|openid|github_id|lark_id|wechat_id|oidc_id|discord_id|linux_do_id|request_id)$/;

function typeOf(table: string, column: string): string {
  if (column === "deleted_at") return "timestamptz";
  if (column === "credential_id" || column === "public_key")
    return table.startsWith("webauthn") ? "bytea" : "text";
  if (column === "type" && ["prices", "payments"].includes(table)) return "text";
  if (column === "status" && ["orders", "tasks", "midjourneys", "top_ups"].includes(table)) return "text";
  if (column === "progress" && table === "midjourneys") return "text";
  if (texts.test(column)) return "text";
  if (switches.test(column)) return "boolean";
  if (decimal.test(column)) return "numeric";
  if (["setting", "plugin", "metadata"].includes(column) && table !== "users") return "json";
  return whole.test(column) ? "bigint" : "text";
}

export async function foreignDatabase(
  kind: "sqlite" | "postgres",
  columns: Readonly<Record<string, string>>,
  rows: Rows,
): Promise<ForeignDatabase> {
  const statements = Object.entries(columns).map(([table, names]) => {
    const list = names.split(" ").map((name) => `"${name}" ${typeOf(table, name)}`);
    return `CREATE TABLE "${table}" (${list.join(", ")})`;
  });
  return kind === "sqlite" ? onSqlite(statements, rows) : onPostgres(statements, rows);
}

function* inserts(rows: Rows): Generator<{ table: string; names: string; values: unknown[] }> {
  for (const [table, list] of Object.entries(rows))
    for (const row of list)
      yield {
        table,
        names: Object.keys(row)
          .map((name) => `"${name}"`)
          .join(", "),
        values: Object.values(row),
      };
}

async function onSqlite(statements: string[], rows: Rows): Promise<ForeignDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "foreign-"));
  const from = join(folder, "one-api.db");
  const database = new DatabaseSync(from);
  for (const statement of statements) database.exec(statement);
  for (const { table, names, values } of inserts(rows))
    database
      .prepare(`INSERT INTO "${table}" (${names}) VALUES (${values.map(() => "?").join(", ")})`)
      .run(
        ...values.map((value) =>
          typeof value === "boolean" ? Number(value) : (value as string | number | bigint | null),
        ),
      );
  database.close();
  return {
    from,
    async run(sql) {
      const again = new DatabaseSync(from);
      again.exec(sql);
      again.close();
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

async function onPostgres(statements: string[], rows: Rows): Promise<ForeignDatabase> {
  const database = await emptyDatabase();
  const run = async (sql: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(sql, values);
    } finally {
      await client.end();
    }
  };
  await run(statements.join(";"));
  for (const { table, names, values } of inserts(rows))
    await run(
      `INSERT INTO "${table}" (${names}) VALUES (${values.map((_, place) => `$${place + 1}`).join(", ")})`,
      values,
    );
  return { from: database.url, run, remove: () => database.drop() };
}
