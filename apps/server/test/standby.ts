import { execFile } from "node:child_process";
import { appendFile, chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";

/** A primary and a hot standby that follows it by streaming replication. */
export interface ReplicatedPostgres {
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  /** The folders with their `embedded-postgres.json`. */
  folders: { primary: string; standby: string };
  /** The standby continues to receive changes, but its queries do not see them. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  startStandby(): Promise<EmbeddedPostgres>;
  close(): Promise<void>;
}

const copy = promisify(execFile);

/**
 * Creates both in a temporary folder. The standby begins as a copy of the stopped primary, because the package with
 * the embedded Postgres has no pg_basebackup.
 */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-standby-"));
  // Postgres runs as another user when this process is root.
  await chmod(folder, 0o755);
  const folders = { primary: join(folder, "primary"), standby: join(folder, "standby") };
  const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
  await (await start(folders.primary)).stop();
  await copy("cp", ["-a", folders.primary, folders.standby]);
  const primary = await start(folders.primary);
  await follow(folders.standby, primary.url);
  const standby = await start(folders.standby);
  const replicated = {
    primary,
    standby,
    folders,
    pauseReplay: () => query(replicated.standby.url, "SELECT pg_wal_replay_pause()"),
    resumeReplay: () => query(replicated.standby.url, "SELECT pg_wal_replay_resume()"),
    async startStandby() {
      replicated.standby = await start(folders.standby);
      return replicated.standby;
    },
    async close() {
      await replicated.standby.stop();
      await primary.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return replicated;
}

/** Makes the stopped cluster in `dataDir` a standby of `primaryUrl`. */
async function follow(dataDir: string, primaryUrl: string): Promise<void> {
  const notes = JSON.parse(await readFile(join(dataDir, "embedded-postgres.json"), "utf8")) as {
    data: string;
  };
  const data = resolve(dataDir, notes.data);
  const { hostname, port, username, password } = new URL(primaryUrl);
  const address = `host=${hostname} port=${port} user=${username} password=${password}`;
  await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${address}'\n`);
  const signal = join(data, "standby.signal");
  await writeFile(signal, "");
  const { uid, gid } = await stat(data);
  await chown(signal, uid, gid);
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
