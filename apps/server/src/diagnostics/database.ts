/** Checks of Postgres and Redis. */
import { ok, problem, type Subject, warning } from "./finding.ts";

const oldestPostgres = 15;
/** A gateway writes its heartbeat every few seconds. */
const aliveSeconds = 30;

interface PostgresFacts {
  version: number;
  database: string;
  encoding: string;
  connections: number;
  used: number;
  nodes: number;
  fsync: string;
  pages: string;
  commits: string;
  vacuum: string;
}

export async function postgres({ database: { pool } }: Subject) {
  const { rows } = await pool.query<PostgresFacts>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_database() AS database,
       current_setting('server_encoding') AS encoding, current_setting('max_connections')::int AS connections,
       (SELECT count(*)::int FROM pg_stat_activity) AS used,
       (SELECT count(*)::int FROM nodes WHERE heartbeat > now() - make_interval(secs => $1)) AS nodes,
       current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
       current_setting('synchronous_commit') AS commits, current_setting('autovacuum') AS vacuum`,
    [aliveSeconds],
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error("Postgres returned no settings.");
  const { version, database, nodes, encoding, used, connections: limit } = facts;
  const unsafe = [
    ...(facts.fsync === "off" ? problem("fsync_off") : []),
    ...(facts.pages === "off" ? problem("full_page_writes_off") : []),
    ...(facts.commits === "off" ? warning("synchronous_commit_off") : []),
  ];
  return [
    ...(version >= oldestPostgres
      ? ok("postgres_version", { version, database, nodes })
      : warning("postgres_old", { version, oldest: oldestPostgres })),
    ...(used < limit * 0.8
      ? ok("connections_free", { used, limit })
      : warning("connections_scarce", { used, limit })),
    ...(unsafe.length === 0 ? ok("postgres_durable") : unsafe),
    ...(facts.vacuum === "off" ? warning("autovacuum_off") : []),
    ...(encoding === "UTF8" ? [] : problem("encoding_wrong", { encoding })),
  ];
}

export async function redis({ env }: Subject) {
  if (env.REDIS_URL === undefined) return ok("redis_unset");
  const { openRedis } = await import("#platform/redis.ts");
  const client = openRedis(env.REDIS_URL, env.redisSentinels, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: 5_000,
    commandTimeout: 5_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.ping();
    return ok("redis_answers");
  } catch {
    return problem("redis_silent");
  } finally {
    client.disconnect();
  }
}
