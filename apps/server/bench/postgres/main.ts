import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startDemoUpstream } from "@gateway/demo/server";
import type { LogPage } from "@gateway/shared/usage/log";
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
import { furnish, rootApi, startNode, stopNode } from "../nodes.ts";
import { freePort } from "../processes.ts";
import { send } from "../restart/calls.ts";

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

  const before = await startGateway(old.url);
  const apiKey = await furnish(before.url, upstream.url);
  await sendCalls(before.url, apiKey);
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
  const after = await startGateway("");
  const explanation = await explainCall(after.url, call.id);
  if (JSON.stringify(explanation) !== JSON.stringify(call.explanation))
    throw new Error(`The bill of a call differs: ${JSON.stringify([call.explanation, explanation])}`);
  await sendCalls(after.url, apiKey);
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

async function startGateway(address: string): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const main = join(bundle, "main.js");
  const pid = await startNode({
    main,
    folder: dataDir,
    name: "node",
    port,
    databaseUrl: address,
    drainSeconds: "0",
  });
  const url = `http://127.0.0.1:${port}`;
  const api = rootApi(url);
  for (const group of (await api<{ data: { id: number }[] }>("GET", "/user_group")).data)
    await api("PUT", `/user_group/${group.id}`, { api_rate: 1_000_000 });
  return { url, pid };
}

async function sendCalls(url: string, apiKey: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const results = await Promise.all(
    Array.from({ length: calls }, (_, index) => send(url, apiKey, index, agent)),
  );
  agent.destroy();
  const failures = results.filter((result) => result !== undefined);
  if (failures.length > 0) throw new Error(`Calls failed: ${JSON.stringify(failures.slice(0, 3))}`);
}

async function explainNewest(url: string): Promise<{ id: string; explanation: unknown }> {
  const page = await rootApi(url)<LogPage>("GET", "/log?size=10");
  const id = String(page.data.find((row) => row.type === 2)?.id);
  return { id, explanation: await explainCall(url, id) };
}

function explainCall(url: string, id: string): Promise<unknown> {
  return rootApi(url)("GET", `/log/${id}/explain`);
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
