/**
 * Moves the embedded Postgres to the bundled major version: a new cluster beside the old one, filled by the caller.
 * Must not know what the database contains.
 */
import { realpath, rename, rm } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import pg from "pg";
import { freeBytes } from "#platform/disk-space.ts";
import { claimCluster, databaseUrl, openSession, type PostgresSession } from "./embedded-postgres.ts";
import {
  clusterVersion,
  isThere,
  majorOf,
  openHome,
  packagedPrograms,
  type PostgresHome,
  type PostgresNotes,
  type PostgresPrograms,
  readNotes,
  saveNotes,
} from "./postgres-home.ts";
import { createCluster, ensureRunning, logFile, shutDown, shutDownIfRunning } from "./postgres-process.ts";

/** The embedded database of a DATA_DIR, and the Postgres that this version brings. */
export interface OlderCluster {
  dataDir: string;
  notes: PostgresNotes;
  /** The cluster's folder. */
  data: string;
  /** Major version that made it. */
  version: number;
  /** Major version that it is upgraded to. */
  bundled: number;
}

/** Returns undefined when the cluster needs no upgrade. Throws when there is none, or a newer one. */
export async function findOlderCluster(dataDir: string): Promise<OlderCluster | undefined> {
  const notes = await readNotes(dataDir);
  if (notes?.initialised !== true)
    throw new Error(
      `There is no embedded database in ${dataDir}. Set DATA_DIR to the folder of the gateway.`,
    );
  const data = resolve(await realpath(dataDir), notes.data);
  const version = await clusterVersion(data);
  const bundled = majorOf((await packagedPrograms()).version);
  if (version === bundled) return undefined;
  if (version < bundled) return { dataDir, notes, data, version, bundled };
  throw new Error(
    `The database in ${data} was made by Postgres ${version}, and this version of the gateway brings Postgres ${bundled}. ` +
      "Start the version of the gateway that brings that Postgres.",
  );
}

export interface UpgradeOptions<Report> {
  /** Postgres of the old version. */
  programs: PostgresPrograms;
  /** Copies everything from one address into the other, whose database is empty. */
  copy(from: string, to: string): Promise<Report>;
  log(sentence: string): void;
  now: Date;
}

export interface ClusterUpgrade<Report> {
  /** Folder of the new cluster, and of the old one, which is kept. */
  data: string;
  kept: string;
  report: Report;
}

/**
 * Fills a new cluster, and then uses it instead of the old one, which gets another name. The change is one rename of
 * the notes in DATA_DIR: whenever the process is killed, DATA_DIR has either the old cluster or the complete new one.
 */
export async function upgradeCluster<Report>(
  cluster: OlderCluster,
  options: UpgradeOptions<Report>,
): Promise<ClusterUpgrade<Report>> {
  const { dataDir, notes, data } = cluster;
  const home = await openHome(dataDir, notes, options.log, options.programs);
  const old = await openCluster(dataDir, home, notes, options.log);
  const isAlone = await claimCluster(old.guard).catch(() => false);
  if (!isAlone) {
    await old.guard.end().catch(() => undefined);
    throw new Error(`A gateway uses the database in ${data}. Stop all gateways and repeat the command.`);
  }
  let target: { data: string; report: Report };
  try {
    // Another upgrade may have ended since the notes were read, while this one obtained the programs.
    if ((await readNotes(dataDir))?.data !== notes.data)
      throw new Error(`${dataDir} has another database since this command began. Nothing was changed.`);
    target = await fillCluster(cluster, databaseUrl(notes.password, old.running.port), options);
  } finally {
    await close(old, data);
  }
  const { unfinished: _, ...kept } = notes;
  await saveNotes(dataDir, { ...kept, data: nameOf(await realpath(dataDir), target.data) });
  return { ...target, kept: await keepOld(cluster, options.now) };
}

/** Creates the new cluster and fills it. If that fails, nothing of it is left. */
async function fillCluster<Report>(
  { dataDir, notes, data: oldData, bundled }: OlderCluster,
  from: string,
  { copy, log }: UpgradeOptions<Report>,
): Promise<{ data: string; report: Report }> {
  const base = await realpath(dataDir);
  await requireSpace(from, dirname(oldData));
  if (notes.unfinished !== undefined) await removeCluster(resolve(base, notes.unfinished));
  const data = `${oldData.replace(/-\d\d$/, "")}-${bundled}`;
  if (await isThere(data))
    throw new Error(`${data} exists. Move it to another place and repeat the command.`);
  await saveNotes(dataDir, { ...notes, unfinished: nameOf(base, data) });
  try {
    const home = await openHome(dataDir, { data: nameOf(base, data), initialised: false }, log);
    await createCluster(home, notes.password, true);
    const session = await openCluster(dataDir, home, notes, log);
    let report: Report;
    try {
      report = await copy(from, databaseUrl(notes.password, session.running.port));
    } finally {
      await close(session, data);
    }
    return { data, report };
  } catch (error) {
    await removeCluster(data);
    throw error;
  }
}

function openCluster(
  dataDir: string,
  home: PostgresHome,
  notes: PostgresNotes,
  log: (sentence: string) => void,
): Promise<PostgresSession> {
  // Any free port: the gateway's own may be in use.
  return openSession(home, notes, () => ensureRunning(home, { port: 0, durable: true }, log), dataDir);
}

async function close({ guard, running }: PostgresSession, data: string): Promise<void> {
  await shutDown(data, running.pid);
  await guard.end().catch(() => undefined);
}

async function removeCluster(data: string): Promise<void> {
  await shutDownIfRunning(data);
  await rm(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await rm(logFile(data), { force: true });
}

/** The new cluster writes its log of changes beside the tables: at most this much, while it is filled. */
const walBytes = 1_500_000_000;

async function requireSpace(url: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  let size: number;
  try {
    await client.connect();
    const { rows } = await client.query<{ bytes: string }>(
      "SELECT pg_database_size(current_database())::text AS bytes",
    );
    size = Number(rows[0]?.bytes ?? 0);
  } finally {
    await client.end().catch(() => undefined);
  }
  const needed = size + walBytes;
  const free = await freeBytes(folder);
  if (free < needed)
    throw new Error(
      `The copy needs ${gigabytes(needed)} GB beside the old database, and ${folder} has ${gigabytes(free)} GB free. ` +
        "Free up space and repeat the command. Nothing was changed.",
    );
}

function gigabytes(bytes: number): string {
  return (bytes / 1_000_000_000).toFixed(1);
}

/** Gives the old cluster a name with its version and the time. If only that fails, it keeps its name. */
async function keepOld({ data, version }: OlderCluster, now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const kept = `${data.replace(/-\d\d$/, "")}-${version}-kept-${stamp}`;
  try {
    await rename(data, kept);
  } catch {
    return data;
  }
  await rename(logFile(data), logFile(kept)).catch(() => undefined);
  return kept;
}

/** Returns how the notes name a folder: relative to DATA_DIR when it is inside, so that DATA_DIR may be moved. */
function nameOf(base: string, folder: string): string {
  const path = relative(base, folder);
  return path.startsWith("..") ? folder : path;
}
