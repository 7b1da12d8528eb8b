import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createConnection } from "mysql2/promise";
import pg from "pg";
import { emptyDatabase } from "#test/database.ts";
import type { Mariadb } from "#test/mariadb.ts";

/** Databases of other gateways: tables as those programs create them, with the rows of a test. */
export type Rows = Record<string, Record<string, unknown>[]>;

export interface ForeignDatabase {
  /** Value of `--from`. */
  from: string;
  /** Runs SQL that every database system supports. */
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

type Kind = "sqlite" | "postgres" | "mariadb";

/** Column types as GORM declares them, by database system. */
const types = {
  stamp: { sqlite: "datetime", mariadb: "datetime(3)", postgres: "timestamptz" },
  bytes: { sqlite: "blob", mariadb: "longblob", postgres: "bytea" },
  text: { sqlite: "text", mariadb: "longtext", postgres: "text" },
  key: { sqlite: "char(48)", mariadb: "char(48)", postgres: "char(48)" },
  code: { sqlite: "char(32)", mariadb: "char(32)", postgres: "char(32)" },
  boolean: { sqlite: "numeric", mariadb: "tinyint(1)", postgres: "boolean" },
  decimal: { sqlite: "real", mariadb: "double", postgres: "numeric" },
  json: { sqlite: "json", mariadb: "json", postgres: "json" },
  date: { sqlite: "date", mariadb: "date", postgres: "date" },
  whole: { sqlite: "integer", mariadb: "bigint(20)", postgres: "bigint" },
} as const;

function typeOf(table: string, column: string, has: (column: string) => boolean): keyof typeof types {
  if (column === "deleted_at") return "stamp";
  // Of One API only.
  if (column === "key" && table === "tokens" && has("subnet")) return "key";
  if (column === "key" && table === "redemptions") return "code";
  if (column === "access_token" || column === "uuid") return "code";
  if (column === "date") return "date";
  if (column === "credential_id" || column === "public_key")
    return table.startsWith("webauthn") ? "bytes" : "text";
  if (column === "type" && ["prices", "payments"].includes(table)) return "text";
  if (
    column === "status" &&
    ["orders", "tasks", "midjourneys", "top_ups", "user_subscriptions"].includes(table)
  )
    return "text";
  if (column === "progress" && table === "midjourneys") return "text";
  if (texts.test(column)) return "text";
  if (switches.test(column)) return "boolean";
  if (decimal.test(column)) return "decimal";
  if (["plugin", "metadata", "extra_ratios", "disabled_stream", "channel_info"].includes(column))
    return "json";
  if (column === "setting" && table === "tokens") return "json";
  return whole.test(column) ? "whole" : "text";
}

export async function foreignDatabase(
  kind: Kind,
  columns: Readonly<Record<string, string>>,
  rows: Rows,
  mariadb?: Mariadb,
): Promise<ForeignDatabase> {
  const quote = (name: string) => (kind === "mariadb" ? `\`${name}\`` : `"${name}"`);
  const statements = Object.entries(columns)
    .filter(([, names]) => names !== "")
    .map(([table, names]) => {
      const all = names.split(" ");
      const list = all.map(
        (name) => `${quote(name)} ${types[typeOf(table, name, (other) => all.includes(other))][kind]}`,
      );
      return `CREATE TABLE ${quote(table)} (${list.join(", ")})`;
    });
  const inserts = Object.entries(rows).flatMap(([table, list]) =>
    list.map((row) => ({
      text: `INSERT INTO ${quote(table)} (${Object.keys(row).map(quote).join(", ")}) VALUES (${Object.keys(
        row,
      )
        .map((_, place) => (kind === "postgres" ? `$${place + 1}` : "?"))
        .join(", ")})`,
      values: Object.values(row),
    })),
  );
  if (kind === "sqlite") return onSqlite(statements, inserts);
  if (kind === "postgres") return onPostgres(statements, inserts);
  if (mariadb === undefined) throw new Error("A MariaDB source needs a MariaDB server.");
  return onMariadb(await mariadb.database(), statements, inserts);
}

type Inserts = { text: string; values: unknown[] }[];

async function onSqlite(statements: string[], inserts: Inserts): Promise<ForeignDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "foreign-"));
  const from = join(folder, "one-api.db");
  const database = new DatabaseSync(from);
  for (const statement of statements) database.exec(statement);
  for (const { text, values } of inserts)
    database
      .prepare(text)
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

async function onPostgres(statements: string[], inserts: Inserts): Promise<ForeignDatabase> {
  const database = await emptyDatabase();
  const withClient = async (work: (client: pg.Client) => Promise<void>) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  await withClient(async (client) => {
    await client.query(statements.join(";"));
    for (const { text, values } of inserts) await client.query(text, values);
  });
  return {
    from: database.url,
    run: (sql) => withClient(async (client) => void (await client.query(sql))),
    remove: () => database.drop(),
  };
}

async function onMariadb(from: string, statements: string[], inserts: Inserts): Promise<ForeignDatabase> {
  const run = async (each: Inserts) => {
    const connection = await createConnection({ uri: from, charset: "utf8mb4", multipleStatements: true });
    try {
      // Zero dates and cut texts are in databases that an old server wrote.
      await connection.query("SET SESSION sql_mode = ''");
      for (const { text, values } of each)
        await connection.query(
          text,
          values.map((value) =>
            typeof value === "string" && /^\d{4}-\d\d-\d\d .*\+00:00$/.test(value)
              ? value.slice(0, 23)
              : value,
          ),
        );
    } finally {
      await connection.end();
    }
  };
  await run(statements.map((text) => ({ text, values: [] })));
  await run(inserts);
  return {
    from,
    run: (sql) => run([{ text: sql, values: [] }]),
    // The server is thrown away with its databases.
    remove: async () => undefined,
  };
}
