import { existsSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ImportRefusal } from "#migration/refusal.ts";
import { type Source, statementOf } from "./source.ts";

const rowsPerTurn = 1_000;
/** Bytes of a row, and of a text. */
const longestRow = 128 * 1024 ** 2;
const magic = "SQLite format 3\0";

/** Opens the file read-only. A transaction that stays open is the snapshot: what is written meanwhile is not seen. */
export async function openSqlite(path: string): Promise<Source> {
  const file = resolve(path);
  await requireSqlite(file);
  const database = openReadOnly(file);
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const columns = new Map<string, Set<string>>();
  try {
    database.exec("BEGIN");
    for (const { name } of database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all())
      columns.set(
        String(name),
        new Set(
          database
            .prepare(`PRAGMA table_info(${quote(String(name))})`)
            .all()
            .map((column) => String(column["name"])),
        ),
      );
  } catch (cause) {
    database.close();
    throw unreadable(file, cause);
  }
  return {
    origin: file,
    columns,
    async *rows(query) {
      const { text, values } = statementOf(query, quote, () => "?");
      let rows = 0;
      try {
        const statement = database.prepare(text);
        statement.setReadBigInts(true);
        for (const row of statement.iterate(...values)) {
          yield row;
          rows += 1;
          // The driver reads synchronously. A server that imports keeps answering.
          if (rows % rowsPerTurn === 0) await nextTurn();
        }
      } catch (cause) {
        // A damaged page is found when it is read.
        throw unreadable(file, cause);
      }
    },
    async count(table) {
      try {
        return Number(database.prepare(`SELECT count(*) AS rows FROM ${quote(table)}`).get()?.["rows"] ?? 0);
      } catch (cause) {
        throw unreadable(file, cause);
      }
    },
    close: async () => database.close(),
  };
}

/** A crafted file can compute a column or a view each time it is read, without an end. No gateway does. */
function withoutComputation(action: number, _first: string | null, called: string | null): number {
  const computes =
    action === constants.SQLITE_RECURSIVE ||
    (action === constants.SQLITE_FUNCTION && called !== "count" && called !== "like");
  return computes ? constants.SQLITE_DENY : constants.SQLITE_OK;
}

async function requireSqlite(file: string): Promise<void> {
  if (!existsSync(file))
    throw new ImportRefusal(
      `${file} does not exist. Give the path of the other gateway's SQLite file, or an address that begins with mysql:// or postgres://.`,
    );
  const handle = await open(file).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  try {
    const { buffer } = await handle.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    if (buffer.toString("latin1") === magic) return;
  } catch (cause) {
    throw unreadable(file, cause);
  } finally {
    await handle.close();
  }
  throw new ImportRefusal(`${file} is not an SQLite database. Copy the file again, without compressing it.`, {
    facts: { reason: "source_not_sqlite", origin: basename(file) },
  });
}

function openReadOnly(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { readOnly: true, limits: { length: longestRow } });
    database.setAuthorizer(withoutComputation);
    database.prepare("SELECT count(*) FROM sqlite_master").get();
    return database;
  } catch (cause) {
    const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (hasLog)
      throw new ImportRefusal(
        `${file} has a write-ahead log beside it that cannot be read. Stop the other gateway, and copy ` +
          `the files ${file}, ${file}-wal and ${file}-shm together into a folder that you can write to.`,
        { cause },
      );
    throw unreadable(file, cause);
  }
}

function unreadable(file: string, cause: unknown): ImportRefusal {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ImportRefusal(
    `${file} cannot be read (${why}). Stop the other gateway and copy its database file again.`,
    { cause, facts: { reason: "source_file_unreadable", origin: basename(file), detail: why } },
  );
}
