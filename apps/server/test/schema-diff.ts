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
 * The SQL that would lead from this database to prisma/schema; empty when they agree.
 * Does with Prisma's engine in WebAssembly what `prisma migrate diff` does with a binary it would have to download.
 */
export async function differenceToSchema(url: string): Promise<string> {
  const files = await schemaFiles();
  const pool = new pg.Pool({ connectionString: url });
  // A pool has ended before its connections have, and the database may be dropped under them.
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

/** What lives in the migrations only; Prisma's own configuration is the one list of it. */
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

/** The engine wants its adapter wrapped by a package that only the adapter itself depends on. */
async function adapterBinder(): Promise<(factory: PrismaPg) => object> {
  const nearAdapter = createRequire(createRequire(import.meta.url).resolve("@prisma/adapter-pg"));
  const path = nearAdapter.resolve("@prisma/driver-adapter-utils");
  const wrapper = (await import(pathToFileURL(path).href)) as {
    bindMigrationAwareSqlAdapterFactory: (factory: PrismaPg) => object;
  };
  return wrapper.bindMigrationAwareSqlAdapterFactory;
}

/**
 * The adapter refuses "char", the one-letter type of Postgres' catalogue, and the engine needs just that. So the pool
 * calls it an array of characters, which passes, and the adapter's answer calls it a character again.
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
