import type { Socket } from "node:net";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient, type Prisma } from "#platform/prisma/client.ts";
import { createSilenceLimitedSocket, setUpSession, silenceError } from "./connection.ts";

/**
 * Access to Postgres. `Db` is the typed client (or a transaction of it) for everything that people edit.
 * `Pool` is for the hot statements, which are hand-written SQL.
 */
export type Db = PrismaClient | Prisma.TransactionClient;
export type Pool = pg.Pool;

/** Reads rows: a pool, or one of its connections. */
export type Reader = Pick<Pool, "query">;

export interface Database {
  db: PrismaClient;
  pool: Pool;
  url: string;
  applicationName: string;
  /**
   * Drops the connections that have received nothing for `afterMs`, by default some seconds. Called when another
   * connection turned out to be silent: these share its network path, and a statement on one would wait for its
   * whole time limit.
   */
  dropSilent(afterMs?: number): void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Maximum number of connections, for both together. */
  max?: number;
  applicationName?: string;
  /**
   * Address of a pooler in transaction mode in front of the same database. The pool uses it; everything that needs a
   * permanent connection (LISTEN, prepared statements) uses `Database.url`.
   */
  poolerUrl?: string | undefined;
  /** Time after which the server cancels a statement, and a silent connection is dropped. Milliseconds. */
  statementMs?: number;
}

/** Silence after which `dropSilent` drops a connection, in milliseconds. */
const silentMs = 5_000;

/** How long a transaction may keep its locks while its node is idle. A stopped node keeps them until then. */
const idleInTransactionMs = 15_000;

/** How long a transaction may take. It may have to wait until a stopped node has lost its locks. Prisma's default is 5 s. */
const transactionMs = idleInTransactionMs + 5_000;

// Counts and points arrive as bigint. Everything that leaves as JSON passes a schema first.
export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

/**
 * Sends statements without a name. A prepared statement belongs to one connection to the server, and a pooler gives
 * the next transaction another one.
 */
class PooledClient extends pg.Client {
  // The type of all overloads together.
  override query(...given: unknown[]): never {
    const [statement, ...rest] = given;
    const isNamed =
      typeof statement === "object" && statement !== null && "name" in statement && !("submit" in statement);
    const sent = isNamed ? { ...statement, name: undefined } : statement;
    return super.query(sent as string, ...(rest as [])) as never;
  }
}

/** Opens a pool of at most `max` connections. Connects with the first statement, not before. */
export function connect(url: string, options: ConnectOptions = {}): Database {
  const { max = 10, applicationName = "gateway", poolerUrl, statementMs = 300_000 } = options;
  /** Time of the last data received on each socket. */
  const sockets = new Map<Socket, number>();
  const remember = ({ connection }: pg.Client) => {
    const socket = connection.stream as Socket;
    const touch = () => sockets.set(socket, performance.now());
    touch();
    socket.on("data", touch).on("close", () => sockets.delete(socket));
    // With TLS, data arrives on another stream.
    connection.once("sslconnect", () => connection.stream.on("data", touch));
  };
  const Base: typeof pg.Client = poolerUrl === undefined ? pg.Client : PooledClient;
  class RememberedClient extends Base {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      remember(this);
      // The pool listens only while a connection is idle. One that breaks between two statements of a job must not end
      // the process: the next statement fails, and the pool replaces it.
      this.on("error", () => {});
    }
  }
  const pool = new pg.Pool({
    connectionString: poolerUrl ?? url,
    max,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    types,
    // Unused connections are closed long before this limit.
    stream: createSilenceLimitedSocket(statementMs + 5_000),
    Client: RememberedClient,
    // A pooler gives each transaction another connection to the server, so that settings would apply to the wrong one.
    ...(poolerUrl === undefined
      ? {
          // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its type says void
          onConnect: (client: pg.ClientBase) =>
            setUpSession(client, {
              statement_timeout: statementMs,
              idle_in_transaction_session_timeout: idleInTransactionMs,
            }),
        }
      : { query_timeout: statementMs }),
  });
  // An idle connection that breaks (a restarted server) is replaced on the next use. It must not end the
  // process.
  pool.on("error", () => {});
  // Prisma parses values by its own rules, whatever the pool's are, so both share the connections.
  // Prisma's default of 2 s for a free connection is too short for a short burst of work.
  const transactionOptions = { maxWait: 10_000, timeout: transactionMs };
  const db = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions });
  return {
    db,
    pool,
    url,
    applicationName,
    dropSilent(afterMs = silentMs) {
      for (const [socket, receivedAt] of sockets)
        if (performance.now() - receivedAt > afterMs)
          socket.destroy(silenceError(performance.now() - receivedAt));
    },
    async close() {
      await db.$disconnect();
      await pool.end();
    },
  };
}
