import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import {
  isThere,
  notesFile,
  openHome,
  openNotes,
  type PostgresHome,
  type PostgresNotes,
  saveNotes,
} from "./postgres-home.ts";
import {
  createCluster,
  ensureRunning,
  logFile,
  type RunningPostgres,
  shutDown,
  superuser,
} from "./postgres-process.ts";

export interface EmbeddedPostgresOptions {
  /** DATA_DIR: contains the notes, and also the cluster unless only root may enter it. */
  dataDir: string;
  log: (sentence: string) => void;
  /** False for a disposable database: no fsync, so a power cut may corrupt it. Default true. */
  durable?: boolean;
}

export interface EmbeddedPostgres {
  /** Connection string of the database `gateway`, as its superuser, on 127.0.0.1. */
  url: string;
  /** The postmaster's process id. It changes when Postgres dies and is restarted. */
  pid(): number;
  /** Shuts Postgres down, unless another node on the same DATA_DIR still uses it. */
  stop(): Promise<void>;
}

const database = "gateway";
// Every gateway that uses the cluster takes this lock shared. A gateway that gets it exclusively was the last
// one.
const usersLock = 7_203_114;

/**
 * Starts a real Postgres from the npm package, for machines that have none, or finds the one that a killed
 * gateway left running. Restarts it when it dies. It must not know what the database is used for. Rejects
 * with a message that explains what to correct.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, durable = true } = options;
  const notes = await openNotes(dataDir);
  const home = await openHome(dataDir, notes, log);
  if (!(await isThere(home.data))) {
    log(`Creating a database in ${home.data}.`);
    await createCluster(home, notes.password, durable);
  }
  const settings = { port: notes.port, durable };
  let session = await openSession(home, notes, () => ensureRunning(home, settings, log), dataDir);
  settings.port = session.running.port;
  if (!notes.initialised || notes.port !== settings.port) {
    await saveNotes(dataDir, { ...notes, port: settings.port, initialised: true });
  }

  let stopping = false;
  let reviving: Promise<void> | undefined;
  watch();

  function watch(): void {
    session.guard.on("error", () => undefined);
    session.guard.once("end", () => {
      if (!stopping) reviving = revive();
    });
  }

  async function revive(): Promise<void> {
    for (;;) {
      if (stopping) return;
      try {
        log("The embedded database went away; bringing it back.");
        session = await openSession(home, notes, () => ensureRunning(home, settings, log), dataDir);
        watch();
        return;
      } catch (error) {
        log(error instanceof Error ? error.message : String(error));
        await sleep(1_000);
      }
    }
  }

  return {
    url: databaseUrl(notes.password, settings.port),
    pid: () => session.running.pid,
    async stop() {
      if (stopping) return;
      stopping = true;
      await reviving;
      if (await isLastUser(session.guard)) await shutDown(home.data, session.running.pid);
      await session.guard.end().catch(() => undefined);
    },
  };
}

/** A running Postgres, and a connection that marks its cluster as used. */
export interface PostgresSession {
  running: RunningPostgres;
  /** Its shared lock marks the cluster as used by a gateway. Its end reveals that Postgres went away. */
  guard: pg.Client;
}

/** Starts or finds Postgres and signs in. If its last user is just stopping Postgres, starts it once more. */
export async function openSession(
  home: PostgresHome,
  notes: Pick<PostgresNotes, "password">,
  start: () => Promise<RunningPostgres & { launched: boolean }>,
  dataDir: string,
): Promise<PostgresSession> {
  for (let attempt = 1; ; attempt++) {
    const running = await start();
    const guard = new pg.Client({ connectionString: urlOf(notes.password, running.port, "postgres") });
    guard.on("error", () => undefined);
    try {
      await guard.connect();
      await guard.query("SELECT pg_advisory_lock_shared($1)", [usersLock]);
      await createDatabase(guard);
      return { running, guard };
    } catch (error) {
      await guard.end().catch(() => undefined);
      if (isWrongPassword(error)) {
        if (running.launched) await shutDown(home.data, running.pid);
        throw new Error(
          `The password in ${notesFile(dataDir)} does not open the database in ${home.data}. ` +
            `Restore the file that belongs to it, or move both away to begin with an empty database.`,
          { cause: error },
        );
      }
      if (attempt === 20) {
        throw new Error(
          `The embedded database takes no connections: ${String(error)} (see ${logFile(home.data)})`,
          { cause: error },
        );
      }
      await sleep(250);
    }
  }
}

async function createDatabase(client: pg.Client): Promise<void> {
  const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
  if (found.rowCount !== 0) return;
  try {
    await client.query(`CREATE DATABASE ${database}`);
  } catch (error) {
    // 42P04, 23505: another node created it first.
    if (!(error instanceof pg.DatabaseError) || !["42P04", "23505"].includes(error.code ?? "")) throw error;
  }
}

async function isLastUser(guard: pg.Client): Promise<boolean> {
  // The lost connection has released its lock.
  return claimCluster(guard).catch(() => true);
}

/** Returns whether no other process uses the cluster of a session. Others then wait until the session ends. */
export async function claimCluster(guard: pg.Client): Promise<boolean> {
  await guard.query("SELECT pg_advisory_unlock_shared($1)", [usersLock]);
  const answer = await guard.query<{ alone: boolean }>("SELECT pg_try_advisory_lock($1) AS alone", [
    usersLock,
  ]);
  return answer.rows[0]?.alone ?? true;
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "28P01";
}

/** Returns the address of the gateway's database in a running cluster. */
export function databaseUrl(password: string, port: number): string {
  return urlOf(password, port, database);
}

function urlOf(password: string, port: number, name: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}`;
}
