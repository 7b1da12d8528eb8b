/** Rows of this gateway's tables as an export has them: read in one transaction per table, in batches. */
import { openPrivate } from "#domain/channels/channel-secrets.ts";
import { channelKeyContext } from "#domain/channels/selection/load-channels.ts";
import { openCode } from "#domain/credits/redemptions.ts";
import { configOf } from "#domain/payments/payment-deps.ts";
import { revealKey } from "#domain/tokens/keys.ts";
import type { Pool } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";

/** Short-lived, of a running process, or nothing but secrets. */
const left = new Set([
  "_prisma_migrations",
  "sessions",
  "one_time_codes",
  "recovery_codes",
  "nodes",
  "import_runs",
  "reservations",
  "background_responses",
  "request_bodies",
  "notice_deliveries",
  "notice_cursors",
]);

const batch = 1_000;

export async function exportTables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  );
  return rows.map((row) => row.name).filter((name) => !left.has(name));
}

/** Returns the number of rows by table. */
export async function rowCounts(pool: Pool, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::float8 AS count FROM "${table}"`);
    counts.set(table, rows[0]?.count ?? 0);
  }
  return counts;
}

type Row = Record<string, unknown>;

const secretColumn = /_hash$|_encrypted$|^totp_secret$|^credential_id$|^public_key$/;

/** @param secrets opens what is encrypted; undefined leaves it out */
export async function* rowsOf(pool: Pool, table: string, secrets: Secrets | undefined): AsyncGenerator<Row> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await client.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM "${table}"`);
    for (;;) {
      const { rows } = await client.query<Row>(`FETCH ${batch} FROM rows`);
      for (const row of rows) yield presentRow(table, row, secrets);
      if (rows.length < batch) break;
    }
  } finally {
    await client.query("ROLLBACK").catch(() => undefined);
    client.release();
  }
}

function presentRow(table: string, row: Row, secrets: Secrets | undefined): Row {
  const plain = Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (secretColumn.test(name)) return [];
      return [[name, typeof value === "bigint" ? String(value) : value]];
    }),
  );
  // Sealed settings are objects with their cipher text.
  if (table === "options" && isSealed(row["value"])) delete plain["value"];
  return secrets === undefined ? plain : { ...plain, ...decryptRow(table, row, secrets) };
}

function isSealed(value: unknown): value is { sealed: string } {
  return typeof value === "object" && value !== null && "sealed" in value;
}

/** What is encrypted in a row, in the clear. */
function decryptRow(table: string, row: Row, secrets: Secrets): Row {
  const bytes = (name: string) => Uint8Array.from(row[name] as Uint8Array);
  switch (table) {
    case "tokens":
      // Of some imported keys only a hash is known.
      if (bytes("key_encrypted").length === 0) return {};
      return {
        key: revealKey(secrets, { key_hash: bytes("key_hash"), key_encrypted: bytes("key_encrypted") }),
      };
    case "redemptions":
      return {
        key: openCode(secrets, { key_hash: bytes("key_hash"), key_encrypted: bytes("key_encrypted") }),
      };
    case "channel_keys":
      return { key: secrets.decrypt(bytes("key_encrypted"), channelKeyContext(Number(row["channel_id"]))) };
    case "channels":
      return row["private_encrypted"] === null
        ? {}
        : {
            ...openPrivate(
              secrets,
              { id: Number(row["id"]), private_encrypted: bytes("private_encrypted") },
              {
                proxy: "",
                model_headers: {},
                custom_parameter: {},
                plugin: {},
              },
            ),
          };
    case "payments":
      return row["config_encrypted"] === null
        ? {}
        : {
            config: configOf(secrets, {
              uuid: row["uuid"] as string,
              config_encrypted: bytes("config_encrypted"),
            }),
          };
    case "options":
      return isSealed(row["value"])
        ? {
            value: secrets.decrypt(
              Buffer.from(row["value"].sealed, "base64"),
              `option:${row["key"] as string}`,
            ),
          }
        : {};
    case "users":
      return { password_hash: row["password_hash"] };
    default:
      return {};
  }
}
