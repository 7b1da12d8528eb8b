import pg from "pg";
import { ImportRefusal } from "#migration/refusal.ts";
import { describeDatabase } from "#platform/database/database-address.ts";
import { type Source, type SourceRow, statementOf } from "./source.ts";

const batch = 1_000;
const connectMs = 15_000;

// Numbers stay texts, so that no digit is lost; arrays, bytes, booleans and JSON come parsed.
const types = new pg.TypeOverrides();
for (const numeric of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC, pg.types.builtins.FLOAT8])
  types.setTypeParser(numeric, (text) => text);
// A timestamp without a zone is UTC in every gateway that has one.
types.setTypeParser(pg.types.builtins.TIMESTAMP, (text) => `${text}Z`);
// A day is no instant: as a Date it would move with this machine's time zone.
types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** Reads through cursors in one transaction that sees one instant and cannot write. */
export async function openPostgres(url: string): Promise<Source> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "gateway import",
    connectionTimeoutMillis: connectMs,
    types,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    // The source waits while its rows are written here.
    const schema = schemaOf(url);
    if (schema !== undefined)
      await client.query("SELECT set_config('search_path', quote_ident($1), true)", [schema]);
    await client.query("SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0");
  } catch (cause) {
    await client.end().catch(() => undefined);
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ImportRefusal(
      `${describeDatabase(url)} cannot be read: ${detail}. ` +
        `Check the address, user, password and database name after --from.`,
      { cause, facts: { reason: "source_unreadable", origin: describeDatabase(url), detail } },
    );
  }
  const columns = new Map<string, Set<string>>();
  const found = await client.query<{ table_name: string; column_name: string }>(
    `SELECT c.table_name, c.column_name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'`,
  );
  for (const { table_name: table, column_name: column } of found.rows)
    columns.set(table, (columns.get(table) ?? new Set()).add(column));
  if (columns.size === 0) {
    const others = await client.query<{ name: string }>(
      `SELECT DISTINCT table_schema AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    await client.end();
    throw noTables(
      url,
      others.rows.map(({ name }) => name),
    );
  }
  let cursors = 0;
  return {
    origin: describeDatabase(url),
    columns,
    async *rows(query) {
      const cursor = `import_${(cursors += 1)}`;
      const { text, values } = statementOf(query, pg.escapeIdentifier, (place) => `$${place}`);
      await client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values);
      try {
        for (;;) {
          const { rows } = await client.query<SourceRow>(`FETCH ${batch} FROM ${cursor}`);
          yield* rows;
          if (rows.length < batch) break;
        }
      } finally {
        await client.query(`CLOSE ${cursor}`);
      }
    },
    async count(table) {
      const { rows } = await client.query<{ rows: string }>(
        `SELECT count(*) AS rows FROM ${pg.escapeIdentifier(table)}`,
      );
      return Number(rows[0]?.rows ?? 0);
    },
    close: async () => client.end(),
  };
}

/** `?schema=` of Prisma's addresses, `?search_path=` of Go's. */
function schemaOf(url: string): string | undefined {
  const options = new URL(url).searchParams;
  const given = options.get("schema") ?? options.get("search_path")?.split(",")[0]?.trim();
  return given === undefined || given === "" ? undefined : given;
}

function noTables(url: string, schemas: readonly string[]): ImportRefusal {
  const origin = describeDatabase(url);
  const others = schemas.slice(0, 8).join(", ");
  return new ImportRefusal(
    `${origin} has no tables in the schema that is read. ` +
      (others === ""
        ? "Check the database name after --from."
        : `There are tables in: ${others}. Add the right one to the address after --from, like ?schema=${schemas[0] ?? ""}.`),
    { facts: { reason: "source_empty", origin, schemas: others } },
  );
}
