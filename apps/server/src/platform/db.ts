import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient, type Prisma } from "./prisma/client.ts";

/**
 * The way to Postgres. `Db` is the typed client (or a transaction of it) for everything that is edited by people;
 * `Pool` is for the hot statements, which are SQL we write ourselves.
 */
export type Db = PrismaClient | Prisma.TransactionClient;
export type Pool = pg.Pool;

export interface Database {
  db: PrismaClient;
  pool: Pool;
  url: string;
  close(): Promise<void>;
}

// Counts and points come back as bigint; everything that leaves for JSON goes through a schema first.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Opens a pool of at most `max` connections. Nothing is connected until the first statement. */
export function connect(url: string, options: { max?: number; applicationName?: string } = {}): Database {
  const config = {
    connectionString: url,
    max: options.max ?? 20,
    application_name: options.applicationName ?? "gateway",
    // A lost server is noticed by keep-alives rather than by the next caller.
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  };
  const pool = new pg.Pool({ ...config, types });
  // An idle connection that breaks (a restarted server) is replaced on the next use; it must not end the process.
  pool.on("error", () => {});
  const prismaPool = new pg.Pool({ ...config, max: Math.max(2, Math.floor((options.max ?? 20) / 2)) });
  prismaPool.on("error", () => {});
  const db = new PrismaClient({ adapter: new PrismaPg(prismaPool) });
  return {
    db,
    pool,
    url,
    async close() {
      await db.$disconnect();
      await Promise.all([pool.end(), prismaPool.end()]);
    },
  };
}
