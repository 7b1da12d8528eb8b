import type { Socket } from "node:net";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient, type Prisma } from "#platform/prisma/client.ts";
import { impatientSocket, setUpSession, silence } from "./connection.ts";

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
  applicationName: string;
  /**
   * Drops the connections from which nothing has come for some seconds. For when another connection turned out to be
   * silent: these go the same way, and whoever took one would wait for its whole time limit.
   */
  dropSilent(): void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Connections at most, for both. */
  max?: number;
  applicationName?: string;
  /**
   * A statement that takes longer is ended by the server, and a connection that is silent for longer is dropped.
   * Milliseconds.
   */
  statementMs?: number;
}

/** What has been silent for so long is dropped when there is a suspicion. */
const silentMs = 5_000;

/** How long a transaction may hold its locks while its node does nothing. A node that was stopped holds them till then. */
const idleInTransactionMs = 15_000;

// Counts and points come back as bigint; everything that leaves for JSON goes through a schema first.
export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Opens a pool of at most `max` connections. Nothing is connected until the first statement. */
export function connect(url: string, options: ConnectOptions = {}): Database {
  const { max = 10, applicationName = "gateway", statementMs = 300_000 } = options;
  /** When something last came from it. */
  const sockets = new Map<Socket, number>();
  const remember = (socket: Socket) => {
    const touch = () => sockets.set(socket, performance.now());
    touch();
    socket.on("data", touch).on("close", () => sockets.delete(socket));
    return socket;
  };
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    types,
    // Connections that are not used are closed long before.
    stream: () => remember(impatientSocket(statementMs + 5_000)()),
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its type says void
    onConnect: (client) =>
      setUpSession(client, {
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: idleInTransactionMs,
      }),
  });
  // An idle connection that breaks (a restarted server) is replaced on the next use; it must not end the process.
  pool.on("error", () => {});
  // Prisma reads values by its own rules, whatever the pool's are, so both share the connections.
  const db = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    db,
    pool,
    url,
    applicationName,
    dropSilent() {
      for (const [socket, receivedAt] of sockets)
        if (performance.now() - receivedAt > silentMs)
          socket.destroy(silence(performance.now() - receivedAt));
    },
    async close() {
      await db.$disconnect();
      await pool.end();
    },
  };
}
