import { type ChildProcess, execFile, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { packagedPrograms, readNotes, saveNotes } from "./postgres-home.ts";
import { upgradeCluster } from "./upgrade-cluster.ts";

const isRoot = process.geteuid?.() === 0;
const program = fileURLToPath(new URL("./embedded-postgres.ts", import.meta.url));
/** A DATA_DIR after a first start. Copying it takes a fraction of the time of creating a database. */
let original: string;
let dataDir: string;
let sentences: string[];

beforeAll(async () => {
  original = dataDir = await emptyDataDir();
  await (await startEmbeddedPostgres({ dataDir, durable: false, log: () => {} })).stop();
});
afterAll(() => remove(original));

beforeEach(async () => {
  dataDir = await emptyDataDir();
  await promisify(execFile)("cp", ["-a", `${original}/.`, dataDir]);
  sentences = [];
});
afterEach(() => remove(dataDir));

async function emptyDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-embedded-"));
  await chmod(folder, 0o755);
  return folder;
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Continues with a DATA_DIR of a gateway that was never started. */
async function beforeFirstStart(): Promise<void> {
  await remove(dataDir);
  dataDir = await emptyDataDir();
}

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    durable: false,
    log: (sentence) => sentences.push(sentence),
  });
  onTestFinished(() => postgres.stop());
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

/** A gateway in its own process, to be killed. */
async function startElsewhere(): Promise<{ child: ChildProcess; postgresPid: number }> {
  const script = join(dataDir, "gateway.ts");
  await writeFile(
    script,
    `import { startEmbeddedPostgres } from ${JSON.stringify(program)};
     const postgres = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: false, log: () => {} });
     process.send(postgres.pid());
     setInterval(() => {}, 1000);`,
  );
  const child = fork(script, { stdio: "inherit" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const postgresPid = await new Promise<number>((resolve) => child.once("message", resolve as () => void));
  return { child, postgresPid };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

describe("an embedded Postgres", () => {
  it("uses UTF-8, listens on loopback only and requires the password", async () => {
    const { url } = await start();
    const settings = "SELECT name || '=' || setting FROM pg_settings WHERE name IN";
    const names =
      "('listen_addresses', 'server_encoding', 'max_connections', 'password_encryption', 'unix_socket_directories')";
    expect(await query(url, `${settings} ${names} ORDER BY name`)).toEqual([
      "listen_addresses=127.0.0.1",
      "max_connections=200",
      "password_encryption=scram-sha-256",
      "server_encoding=UTF8",
      "unix_socket_directories=",
    ]);
    const wrong = new URL(url);
    wrong.password = "guess";
    await expect(query(wrong.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  });

  it("keeps its password where only the owner may read it", async () => {
    expect((await stat(join(dataDir, "embedded-postgres.json"))).mode & 0o777).toBe(0o600);
  });

  it("reuses its data, password and port on the second start", async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept AS SELECT 42 AS n");
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, "SELECT n FROM kept")).toEqual([42]);
  });

  it(
    "does not receive a Ctrl-C from the terminal, and is taken over when its gateway was killed",
    { tags: "nightly" },
    async () => {
      const { child, postgresPid } = await startElsewhere();
      const group = (await readFile(`/proc/${postgresPid}/stat`, "utf8")).split(" ")[4];
      expect(Number(group)).toBe(postgresPid);
      child.kill("SIGKILL");
      await ended(child);
      const next = await start();
      expect(next.pid()).toBe(postgresPid);
      // Postgres notices after a moment that the killed gateway is gone.
      const users = "SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND granted";
      await expect.poll(() => query(next.url, users)).toEqual([1]);
      await next.stop();
      expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
    },
  );

  it("recovers when gateway and Postgres were both killed", { tags: "nightly" }, async () => {
    const { child, postgresPid } = await startElsewhere();
    child.kill("SIGKILL");
    process.kill(postgresPid, "SIGKILL");
    await ended(child);
    const next = await start();
    expect(next.pid()).not.toBe(postgresPid);
    expect(await query(next.url, "SELECT 1")).toEqual([1]);
  });

  it("ignores a process id that belongs to another process by now", async () => {
    const stale = [process.pid, join(dataDir, "postgres"), 1, 5432, "", "127.0.0.1", "", "ready   ", ""];
    await writeFile(join(dataDir, "postgres/postmaster.pid"), stale.join("\n"));
    const postgres = await start();
    expect(postgres.pid()).not.toBe(process.pid);
    expect(await query(postgres.url, "SELECT 1")).toEqual([1]);
  });

  it("restarts at the same address when Postgres dies", async () => {
    const postgres = await start();
    const before = postgres.pid();
    process.kill(before, "SIGKILL");
    await expect.poll(() => query(postgres.url, "SELECT 1").catch(() => [])).toEqual([1]);
    await expect.poll(() => postgres.pid()).not.toBe(before);
  });

  it("stays up until the last of several gateways on one DATA_DIR stops", { tags: "nightly" }, async () => {
    await beforeFirstStart();
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.url).toBe(two.url);
    await one.stop();
    expect(await query(two.url, "SELECT 1")).toEqual([1]);
    await two.stop();
    await expect(query(two.url, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("explains what to do when its password file was lost", async () => {
    await rm(join(dataDir, "embedded-postgres.json"));
    await expect(start()).rejects.toThrow(/password in .*embedded-postgres.json does not open the database/);
    expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
  });

  it("explains what to do when the database folder was lost", async () => {
    await rm(join(dataDir, "postgres"), { recursive: true, maxRetries: 10, retryDelay: 100 });
    await expect(start()).rejects.toThrow(/is gone\. Restore that folder, or delete/);
  });
});

describe.runIf(isRoot)("as root", () => {
  it("explains what to do with a folder of another major version", async () => {
    const file = join(dataDir, "postgres", "PG_VERSION");
    const version = await readFile(file, "utf8");
    await writeFile(file, "15\n");
    await expect(start()).rejects.toThrow(
      /made by Postgres 15.*"gateway upgrade-database".*docs\/operations\.md/s,
    );
    await writeFile(file, "99\n");
    await expect(start()).rejects.toThrow(/made by Postgres 99.*Start the version of the gateway/s);
    await writeFile(file, version);
    await start();
  });

  it("runs Postgres as a separate user", async () => {
    const postgres = await start();
    expect((await stat(`/proc/${postgres.pid()}`)).uid).not.toBe(0);
    expect((await stat(join(dataDir, "postgres"))).mode & 0o777).toBe(0o700);
  });

  it(
    "keeps the data outside DATA_DIR when only root may enter it, and reports that",
    { tags: "nightly" },
    async () => {
      await beforeFirstStart();
      await chmod(dataDir, 0o700);
      const postgres = await start();
      expect(await query(postgres.url, "SELECT 1")).toEqual([1]);
      const notes = JSON.parse(await readFile(join(dataDir, "embedded-postgres.json"), "utf8")) as {
        data: string;
      };
      expect(notes.data).toMatch(/^\/var\/lib\/gateway\/data-/);
      expect(sentences.join(" ")).toContain(`so the database lives in ${notes.data}`);
      await postgres.stop();
      await rm(notes.data, { recursive: true, maxRetries: 10, retryDelay: 100 });
      await rm(`${notes.data}.log`);
    },
  );
});

it("an upgrade that began before another one ended does not touch the new database", async () => {
  const notes = await readNotes(dataDir);
  if (notes === undefined) throw new Error("no notes");
  await mkdir(join(dataDir, "new"));
  await writeFile(join(dataDir, "new", "table"), "rows");
  await saveNotes(dataDir, { ...notes, data: "new" });
  const programs = await packagedPrograms();
  const data = join(await realpath(dataDir), notes.data);
  const stale = { dataDir, notes: { ...notes, unfinished: "new" }, data, version: 17, bundled: 18 };
  const copy = () => Promise.reject(new Error("not expected"));
  await expect(upgradeCluster(stale, { programs, copy, log: () => {}, now: new Date() })).rejects.toThrow(
    /another database since this command began/,
  );
  expect(await readFile(join(dataDir, "new", "table"), "utf8")).toBe("rows");
});
