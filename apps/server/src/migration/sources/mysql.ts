import { once } from "node:events";
import type { Connection, RowDataPacket } from "mysql2";
import { ImportRefusal } from "#migration/refusal.ts";
import { type Source, type SourceRow, statementOf } from "./source.ts";

const connectMs = 15_000;

/** Reads row by row in one consistent snapshot that cannot write. MySQL and MariaDB. */
export async function openMysql(url: string): Promise<Source> {
  // Only who imports from MySQL loads its driver.
  const { createConnection } = await import("mysql2");
  const origin = describe(url);
  const connection = createConnection({
    uri: url,
    connectTimeout: connectMs,
    charset: "utf8mb4",
    // No digit is lost, and no time zone is assumed.
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
  });
  connection.on("error", () => undefined);
  const run = (sql: string) =>
    new Promise<RowDataPacket[]>((resolve, reject) => {
      connection.query<RowDataPacket[]>(sql, (error, rows) =>
        error === null ? resolve(rows) : reject(error),
      );
    });
  try {
    // By default the server gives up on a reader that writes what it read for longer than a minute.
    await run("SET SESSION net_write_timeout = 86400, SESSION wait_timeout = 86400");
    await run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    await run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  } catch (cause) {
    connection.destroy();
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ImportRefusal(
      `${origin} cannot be read: ${detail}. ` +
        `Check the address, user, password and database name after --from.`,
      { cause, facts: { reason: "source_unreadable", origin, detail } },
    );
  }
  const columns = new Map<string, Set<string>>();
  for (const row of await run(
    `SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = database()`,
  )) {
    const table = String(row["t"]);
    columns.set(table, (columns.get(table) ?? new Set()).add(String(row["c"])));
  }
  return {
    origin,
    columns,
    rows: (query) => stream(connection, query),
    count: async (table) => Number((await run(`SELECT count(*) AS c FROM ${quote(table)}`))[0]?.["c"] ?? 0),
    close: () => end(connection),
  };
}

const quote = (name: string) => `\`${name.replaceAll("`", "``")}\``;

async function* stream(
  connection: Connection,
  query: Parameters<Source["rows"]>[0],
): AsyncGenerator<SourceRow> {
  const { text, values } = statementOf(query, quote, () => "?");
  const rows = connection.query(text, values).stream({ highWaterMark: 500 });
  for await (const row of rows) yield row as SourceRow;
}

async function end(connection: Connection): Promise<void> {
  const ended = once(connection, "end");
  connection.end();
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
  connection.destroy();
}

function describe(url: string): string {
  const { hostname, port, pathname, username } = new URL(url);
  return `${hostname}:${port === "" ? "3306" : port} (user "${username}", database "${pathname.slice(1)}")`;
}
