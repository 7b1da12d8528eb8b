import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { handOver, openHome, openNotes, type PostgresHome } from "#platform/database/postgres-home.ts";
import { createCluster, superuser } from "#platform/database/postgres-process.ts";
import { freePort } from "../processes.ts";

/** A Postgres with a synchronous standby, which takes over when the primary is killed. */
export interface DatabasePair {
  /** The address of the primary. Changes with every failover. */
  url(): string;
  /** Stops and starts the primary. "immediate" closes no connections, as in a crash. */
  restart(how: "fast" | "immediate"): Promise<void>;
  /** Kills the primary and promotes the standby. A new standby follows it. Resolves with the new address. */
  failOver(): Promise<string>;
  stop(): Promise<void>;
}

interface Server {
  data: string;
  port: number;
  process: ChildProcess;
}

const PATIENCE_MS = 120_000;
const database = "gateway";

/** @param folder where both servers keep their data */
export async function startDatabasePair(folder: string): Promise<DatabasePair> {
  const notes = await openNotes(folder);
  const home = await openHome(folder, notes, () => undefined);
  await createCluster(home, notes.password, true);
  const url = (port: number, name = database) =>
    `postgres://${superuser}:${notes.password}@127.0.0.1:${port}/${name}`;

  async function ask<Row extends object>(port: number, statement: string, name = "postgres"): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url(port, name), connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(statement)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function until(what: string, check: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50))
      if (await check().catch(() => false)) return;
    throw new Error(`Postgres: ${what} took too long.`);
  }

  async function launch(data: string, port: number): Promise<Server> {
    const server = { data, port, process: spawnPostgres(home, data, port) };
    await until("starting", async () => (await ask(port, "SELECT 1")).length === 1);
    return server;
  }

  /** Copies the primary's files while it runs, and starts a standby on the copy. */
  async function follow(primary: Server, data: string): Promise<Server> {
    await rm(data, { recursive: true, force: true });
    const backup = new pg.Client({ connectionString: url(primary.port, "postgres") });
    backup.on("error", () => undefined);
    await backup.connect();
    try {
      await backup.query("SELECT pg_backup_start('standby', true)");
      await copyWhileRunning(primary.data, data);
      const { rows } = await backup.query<{ labelfile: string }>(
        "SELECT labelfile FROM pg_backup_stop(false)",
      );
      await writeFile(join(data, "backup_label"), rows[0]?.labelfile ?? "");
    } finally {
      await backup.end();
    }
    const source = `host=127.0.0.1 port=${primary.port} user=${superuser} password=${notes.password}`;
    await writeFile(
      join(data, "postgresql.auto.conf"),
      `primary_conninfo = '${source}'\nwal_retrieve_retry_interval = '200ms'\n`,
    );
    await writeFile(join(data, "standby.signal"), "");
    for (const file of ["backup_label", "postgresql.auto.conf", "standby.signal"])
      await handOver(join(data, file), home.account);
    const standby = await launch(data, await freePort());
    // Only now, because commits wait for the standby from here on.
    await ask(primary.port, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(primary.port, "SELECT pg_reload_conf()");
    await synchronous(primary);
    return standby;
  }

  const synchronous = (server: Server) =>
    until("the standby", async () => {
      const rows = await ask<{ sync_state: string }>(
        server.port,
        "SELECT sync_state FROM pg_stat_replication",
      );
      return rows.some(({ sync_state }) => sync_state === "sync");
    });

  let primary = await launch(home.data, await freePort());
  await ask(primary.port, `CREATE DATABASE ${database}`);
  let standby = await follow(primary, `${home.data}-standby`);

  return {
    url: () => url(primary.port),
    async restart(how) {
      await end(primary, how === "fast" ? "SIGINT" : "SIGQUIT");
      primary = await launch(primary.data, primary.port);
      await synchronous(primary);
    },
    async failOver() {
      const failed = primary;
      await end(failed, "SIGQUIT");
      await ask(standby.port, "SELECT pg_promote()");
      primary = standby;
      standby = await follow(primary, failed.data);
      return url(primary.port);
    },
    async stop() {
      await end(standby, "SIGQUIT");
      await end(primary, "SIGQUIT");
    },
  };
}

function spawnPostgres(home: PostgresHome, data: string, port: number): ChildProcess {
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_buffers: "64MB",
    max_connections: 150,
    wal_level: "replica",
    wal_keep_size: "512MB",
    timezone: "UTC",
    log_min_messages: "log",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(join(home.binaries, "postgres"), ["-D", data, ...flags], {
    ...(home.account !== undefined && { uid: home.account.uid, gid: home.account.gid }),
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
    cwd: "/",
    stdio: "ignore",
  });
}

async function end(server: Server, signal: NodeJS.Signals): Promise<void> {
  const { process } = server;
  if (process.exitCode !== null || process.signalCode !== null) return;
  const gone = once(process, "exit");
  process.kill(signal);
  await gone;
}

/** Files may disappear meanwhile, which the log of the backup repairs. */
async function copyWhileRunning(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const copy = spawn("cp", ["-a", `${from}/.`, to], { stdio: "ignore" });
  await once(copy, "exit");
  for (const name of ["postmaster.pid", "postmaster.opts", "postgresql.auto.conf"])
    await rm(join(to, name), { force: true });
}
