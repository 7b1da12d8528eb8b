import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { SchemaEngine } from "@prisma/schema-engine-wasm";
import pg from "pg";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const schemaFolder = join(root, "prisma/schema");

/**
 * Returns the SQL that migrates this database to prisma/schema; empty when they agree.
 * It uses Prisma's engine in WebAssembly for what `prisma migrate diff` does with a downloaded binary.
 */
export async function differenceToSchema(url: string): Promise<string> {
  const files = await schemaFiles();
  const pool = new pg.Pool({ connectionString: url });
  // A pool ends before its connections do, and the database may be dropped in between.
  pool.on("error", () => {});
  const bind = await adapterBinder();
  const engine = await SchemaEngine.new(
    { datamodels: files.map((file) => [file.path, file.content]) },
    () => undefined,
    bind(readingCatalogueChars(pool)),
  );
  try {
    const result = await engine.diff({
      from: { tag: "schemaDatasource", files, configDir: root },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: null,
      filters: { externalTables: await externalTables(), externalEnums: [] },
    });
    const sql = (result.stdout ?? "").trim();
    return sql === "-- This is an empty migration." ? "" : sql;
  } finally {
    engine.free();
    await pool.end();
  }
}

/** Returns the tables that exist in the migrations only. Prisma's configuration is their only list. */
async function externalTables(): Promise<string[]> {
  const path = pathToFileURL(join(root, "prisma.config.ts")).href;
  const config = (await import(path)) as { default: { tables: { external: string[] } } };
  return config.default.tables.external;
}

async function schemaFiles(): Promise<{ path: string; content: string }[]> {
  const names = (await readdir(schemaFolder)).filter((name) => name.endsWith(".prisma")).sort();
  return Promise.all(
    names.map(async (name) => ({
      path: join(schemaFolder, name),
      content: await readFile(join(schemaFolder, name), "utf8"),
    })),
  );
}

/** Loads the package that wraps the adapter for the engine. Only the adapter depends on it. */
async function adapterBinder(): Promise<(factory: PrismaPg) => object> {
  const nearAdapter = createRequire(createRequire(import.meta.url).resolve("@prisma/adapter-pg"));
  const path = nearAdapter.resolve("@prisma/driver-adapter-utils");
  const wrapper = (await import(pathToFileURL(path).href)) as {
    bindMigrationAwareSqlAdapterFactory: (factory: PrismaPg) => object;
  };
  return wrapper.bindMigrationAwareSqlAdapterFactory;
}

/**
 * The adapter rejects "char", the one-letter type of Postgres' catalogue, but the engine needs it. The pool
 * reports it as an array of characters, which the adapter accepts, and the result is corrected afterwards.
 */
function readingCatalogueChars(pool: pg.Pool): PrismaPg {
  const [charOid, charArrayOid, character, characterArray] = [18, 1002, 6, 70] as const;
  const ask = pool.query.bind(pool) as (query: pg.QueryConfig) => Promise<pg.QueryResult>;
  const query = async (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const result = await ask(config);
    for (const field of result.fields ?? [])
      if (field.dataTypeID === charOid) field.dataTypeID = charArrayOid;
    return result;
  };
  const factory = new PrismaPg(Object.assign(pool, { query }));
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (raw) => {
      const answer = await queryRaw(raw);
      for (const [column, type] of answer.columnTypes.entries()) {
        if (type === characterArray) answer.columnTypes[column] = character;
      }
      return answer;
    };
    return adapter;
  };
  return factory;
}
