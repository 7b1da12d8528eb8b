import { Socket } from "node:net";
import pg from "pg";

/**
 * A dedicated, persistent Postgres connection for work that must neither queue behind other work nor wait
 * without limit.
 */
export interface Connection {
  /**
   * Runs one statement after the other. Rejects with `ETIMEDOUT` when the server does not respond in time.
   * The connection is then dropped, and the next statement opens a new one. A statement whose connection was
   * lost may have taken effect.
   */
  query<Row extends object>(statement: pg.QueryConfig): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  url: string;
  applicationName: string;
  /** Time after which the server cancels a statement, in milliseconds. */
  statementMs: number;
  /** Time after which the server cancels a statement that waits for a lock, in milliseconds. */
  lockMs: number;
  /**
   * Time without data after which the connection counts as lost, in milliseconds. Longer than `statementMs`.
   */
  silentMs: number;
  types: pg.CustomTypesConfig;
  /**
   * For a few large named statements that find their rows by index. They are planned once for all values,
   * even while the tables are so small that Postgres would prefer a sequential scan.
   */
  plansOnce?: boolean;
}

const longestConnectMs = 5_000;

/** Session settings that let a server detect vanished clients, so that their locks are released. */
const vigilance: readonly Setting[] = [
  ["tcp_keepalives_idle", "15"],
  ["tcp_keepalives_interval", "5"],
  ["tcp_keepalives_count", "3"],
  ["tcp_user_timeout", "30000"],
  ["client_connection_check_interval", "5000"],
];

type Setting = readonly [name: string, value: string];

/**
 * Applies the session settings that this server knows. They are not in the startup packet, because poolers
 * reject a connection with settings there.
 */
export async function setUpSession(
  client: pg.ClientBase,
  settings: Readonly<Record<string, number | string>>,
): Promise<void> {
  const wanted = [
    ...vigilance,
    ...Object.entries(settings).map(([name, value]): Setting => [name, `${value}`]),
  ];
  await client.query(
    `SELECT set_config(s.name, v.value, false) FROM unnest($1::text[], $2::text[]) AS v(name, value)
     JOIN pg_settings s ON s.name = v.name`,
    [wanted.map(([name]) => name), wanted.map(([, value]) => value)],
  );
}

/**
 * Creates sockets that are destroyed when neither side sends anything for `silentMs`. TCP itself detects a
 * lost server after a quarter of an hour, and a failed proxy never.
 */
export function createSilenceLimitedSocket(silentMs: number): () => Socket {
  return () => {
    const socket = new Socket();
    socket.setTimeout(silentMs, () => socket.destroy(silenceError(silentMs)));
    return socket;
  };
}

/** Returns the error of a connection that was dropped because it was silent. */
export function silenceError(milliseconds: number): Error {
  const error = new Error(
    `The database did not answer for ${Math.round(milliseconds / 1_000)} s; the connection was dropped.`,
  );
  return Object.assign(error, { code: "ETIMEDOUT" });
}

/** Connects with the first statement, not before. */
export function openConnection(options: ConnectionOptions): Connection {
  const { url, applicationName, statementMs, lockMs, silentMs, types, plansOnce = false } = options;
  const connectMs = Math.min(longestConnectMs, silentMs);
  let tail: Promise<void> = Promise.resolve();
  let current: { client: pg.Client; socket: Socket } | undefined;
  let opening: Promise<{ client: pg.Client; socket: Socket }> | undefined;

  async function open(): Promise<{ client: pg.Client; socket: Socket }> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: connectMs,
      types,
      stream: () => socket,
    });
    const lose = () => {
      if (current?.client === client) current = undefined;
    };
    // Pending statements reject with this error. An idle connection that breaks is replaced by the next
    // statement.
    client.on("error", lose);
    client.on("end", lose);
    const late = setTimeout(() => socket.destroy(silenceError(connectMs * 2)), connectMs * 2);
    try {
      await client.connect();
      await setUpSession(client, {
        statement_timeout: statementMs,
        lock_timeout: lockMs,
        ...(plansOnce && { plan_cache_mode: "force_generic_plan", enable_seqscan: "off" }),
      });
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
    current = { client, socket };
    return current;
  }

  return {
    query<Row extends object>(statement: pg.QueryConfig) {
      const result = tail.then(() => run<Row>(statement));
      tail = result.then(ignore, ignore);
      return result;
    },
    async close() {
      await opening?.catch(() => undefined);
      const closing = current;
      current = undefined;
      if (closing === undefined) return;
      const late = setTimeout(() => closing.socket.destroy(), 1_000);
      await closing.client.end().catch(() => undefined);
      clearTimeout(late);
    },
  };

  async function run<Row extends object>(statement: pg.QueryConfig): Promise<Row[]> {
    const { client, socket } =
      current ??
      (await (opening ??= open().finally(() => {
        opening = undefined;
      })));
    const timer = setTimeout(() => socket.destroy(silenceError(silentMs)), silentMs);
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      clearTimeout(timer);
    }
  }
}

function ignore(): void {}
