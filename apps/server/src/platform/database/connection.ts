import { Socket } from "node:net";
import pg from "pg";

/** One connection to Postgres that is kept, for work that must not wait for others and never for ever. */
export interface Connection {
  /**
   * Statements run one after the other. Rejects with `ETIMEDOUT` when the server did not answer in time; the connection is then
   * dropped, and the next statement opens a new one. A statement whose connection was lost may have taken effect.
   */
  query<Row extends object>(statement: pg.QueryConfig): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  url: string;
  applicationName: string;
  /** The server ends a statement after so many milliseconds. */
  statementMs: number;
  /** The server ends a statement that has waited for a lock for so many milliseconds. */
  lockMs: number;
  /** Without an answer for so long, the connection counts as lost. Longer than `statementMs`. */
  silentMs: number;
  types: pg.CustomTypesConfig;
  /**
   * For few, large statements with a name, each of which finds its rows by index: they are planned once for all values,
   * also while the tables are still so small that Postgres would prefer to read them whole.
   */
  plansOnce?: boolean;
}

const longestConnectMs = 5_000;

/** Session settings that let a server notice clients that have vanished, so that their locks do not stay. */
const vigilance: readonly Setting[] = [
  ["tcp_keepalives_idle", "15"],
  ["tcp_keepalives_interval", "5"],
  ["tcp_keepalives_count", "3"],
  ["tcp_user_timeout", "30000"],
  ["client_connection_check_interval", "5000"],
];

type Setting = readonly [name: string, value: string];

/**
 * Sets what this server knows. Not in the start packet, because poolers refuse a connection with settings there.
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
 * A socket that gives up when neither side has sent anything for `silentMs`. TCP itself notices a lost server after a
 * quarter of an hour, and a failed proxy never.
 */
export function impatientSocket(silentMs: number): () => Socket {
  return () => {
    const socket = new Socket();
    socket.setTimeout(silentMs, () => socket.destroy(silence(silentMs)));
    return socket;
  };
}

/** The error of a connection that was dropped because nothing came from it. */
export function silence(milliseconds: number): Error {
  const error = new Error(
    `The database did not answer for ${Math.round(milliseconds / 1_000)} s; the connection was dropped.`,
  );
  return Object.assign(error, { code: "ETIMEDOUT" });
}

/** Nothing is connected until the first statement. */
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
    // What was under way rejects with it; an idle connection that breaks is replaced by the next statement.
    client.on("error", lose);
    client.on("end", lose);
    const late = setTimeout(() => socket.destroy(silence(connectMs * 2)), connectMs * 2);
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
    const timer = setTimeout(() => socket.destroy(silence(silentMs)), silentMs);
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      clearTimeout(timer);
    }
  }
}

function ignore(): void {}
