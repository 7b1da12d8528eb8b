import { Socket } from "node:net";
import pg from "pg";
import { types } from "#platform/database/db.ts";

/** admin_shutdown: also the code of pg_terminate_backend. */
const TERMINATED = "57P01";

export interface BackupConnection {
  client: pg.Client;
  /** Whether another session has ended this one. */
  isTerminated(): boolean;
  /** Closes the connection, also in the middle of a COPY. */
  close(): void;
}

/**
 * Opens a connection for one long transaction. Its statements have no time limit, and it may be slow to take data:
 * storage can be slow. Callers end it when nothing moves any more.
 */
export async function openBackupConnection(url: string): Promise<BackupConnection> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: "gateway backup",
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    types,
    stream: () => socket,
  });
  let ending: Error | undefined;
  // Statements reject with it, and later ones with an error that does not say why.
  client.on("error", (error) => (ending ??= error));
  try {
    await client.connect();
    await client.query(
      "SET statement_timeout = 0; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '30min'",
    );
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return { client, isTerminated: () => isTermination(ending), close: () => void socket.destroy() };
}

/** Returns whether Postgres reports that another session has ended this one. */
export function isTermination(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === TERMINATED;
}
