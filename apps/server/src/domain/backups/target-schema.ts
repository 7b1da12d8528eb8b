/** The schema of a database that receives a backup. */
import type pg from "pg";
import { GatewayError } from "#errors.ts";
import { quoteName } from "./write-dump.ts";

/** Locks per day of the log: the partition and its indexes, at most. */
const locksPerDay = 20;
const locksOfTables = 1_000;

/** Throws unless the schema has no tables except an empty table of migrations. */
export async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> '_prisma_migrations' AND ${isNotOfExtension("pg_class", "c.oid")}
     ORDER BY 1`,
  );
  if (rows.length === 0) return;
  const found = rows.some(({ name }) => name === "users")
    ? await describeInstallation(client)
    : `${rows.length} tables of another program`;
  throw new GatewayError("conflict", { reason: "backup_database_used", found });
}

async function describeInstallation(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ users: bigint }>("SELECT count(*) AS users FROM users");
  return `an installation with ${rows[0]?.users ?? 0n} users`;
}

/** Drops all tables, functions, types and sequences of the schema, except those of extensions. */
export async function clearSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT 'DROP TABLE IF EXISTS ' || c.oid::regclass || ' CASCADE' AS statement FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND ${isNotOfExtension("pg_class", "c.oid")}
     UNION ALL
     SELECT 'DROP ROUTINE IF EXISTS ' || p.oid::regprocedure || ' CASCADE' FROM pg_proc p
     WHERE p.pronamespace = current_schema()::regnamespace AND ${isNotOfExtension("pg_proc", "p.oid")}
     UNION ALL
     SELECT 'DROP TYPE IF EXISTS ' || t.oid::regtype || ' CASCADE' FROM pg_type t
     LEFT JOIN pg_class c ON c.oid = t.typrelid
     WHERE t.typnamespace = current_schema()::regnamespace AND t.typelem = 0 AND (c.oid IS NULL OR c.relkind = 'c')
       AND ${isNotOfExtension("pg_type", "t.oid")}
     UNION ALL
     SELECT 'DROP SEQUENCE IF EXISTS ' || c.oid::regclass || ' CASCADE' FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'S'
       AND ${isNotOfExtension("pg_class", "c.oid")}`,
  );
  for (const { statement } of rows) await client.query(statement);
}

/** Throws when one transaction cannot lock the days of a backup: Postgres would fail in the middle. */
export async function requireLocks(client: pg.Client, partitions: number): Promise<void> {
  const { rows } = await client.query<{ perTransaction: number; connections: number }>(
    `SELECT current_setting('max_locks_per_transaction')::int AS "perTransaction",
       current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int AS connections`,
  );
  const { perTransaction = 64, connections = 100 } = rows[0] ?? {};
  const needed = partitions * locksPerDay + locksOfTables;
  if (needed <= perTransaction * connections) return;
  throw new GatewayError("conflict", {
    reason: "backup_locks",
    partitions,
    needed,
    setting: Math.ceil(needed / connections),
  });
}

/** Rows arrive in any order. Returns the function that adds the keys again and checks all rows. */
export async function dropForeignKeys(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
  );
  for (const { table, name } of rows)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoteName(name)}`);
  return async () => {
    for (const { table, name, definition } of rows)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoteName(name)} ${definition}`);
  };
}

function isNotOfExtension(catalog: string, id: string): string {
  return `NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = '${catalog}'::regclass AND e.objid = ${id} AND e.deptype = 'e')`;
}
