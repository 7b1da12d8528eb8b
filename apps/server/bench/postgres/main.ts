import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startDemoUpstream } from "@gateway/demo/server";
import { databaseUrl, openSession } from "#platform/database/embedded-postgres.ts";
import { obtainPostgres } from "#platform/database/old-postgres.ts";
import {
  handOver,
  openHome,
  openNotes,
  packagedPrograms,
  type PostgresHome,
  saveNotes,
} from "#platform/database/postgres-home.ts";
import { ensureRunning, shutDown } from "#platform/database/postgres-process.ts";
import { root } from "#platform/places.ts";
import { furnish, stopNode } from "../nodes.ts";
import { explainCall, explainNewest, sendCalls, startGateway } from "../served-calls.ts";

/**
 * pnpm verify:postgres [major]: a gateway on the embedded Postgres of an older major version, from npm. The new version
 * refuses to start, an upgrade is killed, the next one succeeds: no drift, and the bill of a call is the same.
 */
const major = Number(process.argv[2] ?? 16);
const calls = 200;
const bundle = join(root, "apps/server/dist/bundle");
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "gateway-upgrade-"));
await chmod(folder, 0o755);
const dataDir = join(folder, "data");
const variables = {
  // npm may need a proxy or a certificate.
  ...process.env,
  DATABASE_URL: "",
  NODE_ENV: "production",
  DATA_DIR: dataDir,
  SECRET_KEY: "the same secret on every node of this run",
};
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  await verify();
  console.log(`The database of Postgres ${major} was upgraded without a difference.`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const closer of closers.reverse()) await closer().catch(console.error);
}
process.exit();

async function verify(): Promise<void> {
  const upstream = await startDemoUpstream();
  closers.push(() => upstream.close());
  const programs = await obtainPostgres(major, undefined, console.log);
  closers.push(() => programs.remove());
  await mkdir(dataDir);
  const old = await startOldCluster(programs);

  const before = await startGateway(dataDir, old.url);
  const apiKey = await furnish(before.url, upstream.url);
  await sendCalls(before.url, apiKey, calls);
  const call = await explainNewest(before.url);
  await expectRefusal("while a gateway uses the database", ["upgrade-database", "--yes"], /A gateway uses/);
  await stopNode(before.pid);
  await old.stop();

  await expectRefusal("the start", [], new RegExp(`made by Postgres ${major}.*gateway upgrade-database`));
  const other = (await packagedPrograms()).folder;
  await expectRefusal(
    "another version",
    ["upgrade-database", "--yes", "--postgres", other],
    /Name a folder of that version/,
  );
  await killUpgrade();
  const args = ["upgrade-database", "--yes", "--postgres", programs.folder];
  console.log(await gateway(...args));
  console.log(await gateway(...args));

  const { drift } = JSON.parse(await gateway("audit", "--json")) as { drift: string };
  if (drift !== "0") throw new Error(`The drift is ${drift}.`);
  const after = await startGateway(dataDir, "");
  const explanation = await explainCall(after.url, call.id);
  if (JSON.stringify(explanation) !== JSON.stringify(call.explanation))
    throw new Error(`The bill of a call differs: ${JSON.stringify([call.explanation, explanation])}`);
  await sendCalls(after.url, apiKey, calls);
  await stopNode(after.pid);
  const names = (await readdir(dataDir)).filter((name) => name.startsWith("postgres"));
  console.log(`DATA_DIR has ${names.join(", ")}.`);
  if (!names.some((name) => name.startsWith(`postgres-${major}-kept-`)))
    throw new Error("The old database is gone.");
}

/** A cluster as a gateway with that version has made it. */
async function startOldCluster(programs: { folder: string; version: string }) {
  const notes = await openNotes(dataDir);
  const home = await openHome(dataDir, notes, console.log, programs);
  await initialise(home, notes.password);
  await saveNotes(dataDir, { ...notes, initialised: true });
  const start = () => ensureRunning(home, { port: 0, durable: true }, console.log);
  const { running, guard } = await openSession(home, notes, start, dataDir);
  return {
    url: databaseUrl(notes.password, running.port),
    async stop() {
      await shutDown(home.data, running.pid);
      await guard.end().catch(() => undefined);
    },
  };
}

/** Older versions have no locale of their own, so `createCluster` cannot be used. */
async function initialise({ data, binaries, account }: PostgresHome, password: string): Promise<void> {
  const passwordFile = `${data}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  await mkdir(data, { mode: 0o700 });
  for (const path of [passwordFile, data]) await handOver(path, account);
  const flags = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--username=gateway"];
  await run(join(binaries, "initdb"), [...flags, `--pgdata=${data}`, `--pwfile=${passwordFile}`], {
    ...(account && { uid: account.uid, gid: account.gid }),
    cwd: "/",
  });
  await rm(passwordFile);
}

/** Runs a command and returns its output. Rejects unless it succeeds. */
async function gateway(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(bundle, "cli.js"), ...args], { env: variables });
  return stdout.trim();
}

/** Runs a command, or the server without arguments, which must end with a message. */
async function expectRefusal(subject: string, args: string[], expected: RegExp): Promise<void> {
  const program = join(bundle, args.length === 0 ? "main.js" : "cli.js");
  const message = await run(process.execPath, [program, ...args], { env: variables, timeout: 120_000 }).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`,
  );
  if (!expected.test(message)) throw new Error(`${subject}: not refused as expected: ${message}`);
  console.log(`refused: ${subject}`);
}

/** Kills an upgrade while it copies. */
async function killUpgrade(): Promise<void> {
  const child = spawn(process.execPath, [join(bundle, "cli.js"), "upgrade-database", "--yes"], {
    env: variables,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (text: Buffer) => {
    output += text.toString();
    if (/^options: /m.test(output)) child.kill("SIGKILL");
  });
  await once(child, "exit");
  if (child.signalCode !== "SIGKILL") throw new Error(`The upgrade was not killed: ${output}`);
  console.log("killed: an upgrade, while it copied");
}
