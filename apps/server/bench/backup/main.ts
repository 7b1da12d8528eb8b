import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { startDemoUpstream } from "@gateway/demo/server";
import type { LogPage } from "@gateway/shared/usage/log";
import { parquetReadObjects } from "hyparquet";
import { folderOf } from "#domain/logs/export/export-hour.ts";
import { root } from "#platform/places.ts";
import { openStorage } from "#platform/storage/open-storage.ts";
import { furnish, rootApi, stopNode } from "../nodes.ts";
import { freePort } from "../processes.ts";
import { explainCall, explainNewest, sendCalls, startGateway } from "../served-calls.ts";

/**
 * pnpm verify:backup: a gateway with the embedded Postgres is backed up under load into a folder and into a real S3
 * server, a backup is killed, everything is deleted, and each backup is restored. The drift must be 0, and the bill of
 * a call must be explained as before. The request log is exported to the same server under load, and must have every call.
 */
const s3Server = "s3rver@3.7.1";
const calls = 200;
const key = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
const secretKey = "the same secret on every node of this run";

const program = join(root, "apps/server/dist/bundle/cli.js");
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "gateway-backup-"));
await chmod(folder, 0o755);
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  await verify();
  console.log("Both backups were restored without a difference.");
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
  const endpoint = await startS3();
  const places = [join(folder, "backups"), "s3://backups/site"];
  const storage = { ...key, AWS_ENDPOINT_URL: endpoint, BACKUP_PASSPHRASE: "correct horse battery staple" };
  const data = join(folder, "data");
  await mkdir(data);
  let node = await startGateway(data, "");
  const apiKey = await furnish(node.url, upstream.url);
  await sendCalls(node.url, apiKey, calls);
  const before = await explainNewest(node.url);

  const load = sendCalls(node.url, apiKey, calls);
  await killBackup(data, places[0] ?? "", storage);
  for (const place of places)
    console.log(await gateway(data, storage, "backup", "--to", place, "--keep", "3"));
  await load;
  await exportLog(node.url, apiKey, data, endpoint);
  // S3rver knows the access key, but does not compare the signature of an upload.
  await refuse(data, { ...storage, AWS_ACCESS_KEY_ID: "other" }, "backup", "--to", places[1] ?? "");
  await stopNode(node.pid);

  await rm(data, { recursive: true });
  for (const [index, place] of places.entries()) {
    const restored = join(folder, `restored-${index}`);
    await mkdir(restored);
    await refuse(restored, { ...storage, BACKUP_PASSPHRASE: "wrong" }, "restore", "--from", place, "--yes");
    console.log(await gateway(restored, storage, "restore", "--from", place, "--yes"));
    const { drift } = JSON.parse(await gateway(restored, storage, "audit", "--json")) as { drift: string };
    if (drift !== "0") throw new Error(`The drift is ${drift}.`);
    node = await startGateway(restored, "");
    const after = await explainCall(node.url, before.id);
    if (JSON.stringify(after) !== JSON.stringify(before.explanation))
      throw new Error(`The bill of a call differs: ${JSON.stringify([before, after])}`);
    await sendCalls(node.url, apiKey, calls);
    await stopNode(node.pid);
    await rm(restored, { recursive: true });
  }
}

/** Exports the log while calls are served, again after they have ended, and compares the calls of both. */
async function exportLog(url: string, apiKey: string, data: string, endpoint: string): Promise<void> {
  const hour = (offset: number) => new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 13);
  const period = ["--from", hour(-2), "--to", hour(1), "--place", "s3://backups/site"];
  const storage = { ...key, AWS_ENDPOINT_URL: endpoint };
  const load = sendCalls(url, apiKey, calls);
  console.log(await gateway(data, storage, "export-log", ...period));
  await load;
  await refuse(data, { ...storage, AWS_ACCESS_KEY_ID: "other" }, "export-log", ...period);
  const { rows } = JSON.parse(await gateway(data, storage, "export-log", ...period, "--json")) as {
    rows: number;
  };
  const ids = new Set(await exportedIds(endpoint));
  const { total_count: logged } = await rootApi(url)<LogPage>("GET", "/log?size=10");
  if (ids.size !== rows || ids.size !== logged)
    throw new Error(`The log has ${logged} rows, ${rows} were exported, and ${ids.size} can be read.`);
  console.log(`${ids.size} rows of the log were exported and read.`);
}

async function exportedIds(endpoint: string): Promise<bigint[]> {
  const bucket = openStorage({
    endpoint,
    region: "us-east-1",
    bucket: "backups",
    prefix: "site",
    accessKeyId: key.AWS_ACCESS_KEY_ID,
    secretAccessKey: key.AWS_SECRET_ACCESS_KEY,
  });
  const ids: bigint[] = [];
  for (let offset = -2; offset <= 0; offset += 1) {
    const begin = Math.floor(Date.now() / 3_600_000 + offset) * 3_600_000;
    const folder = folderOf(new Date(begin));
    for (const { name } of await bucket.list(folder)) {
      const bytes = await buffer(await bucket.read(`${folder}/${name}`));
      const rows = await parquetReadObjects({
        file: new Uint8Array(bytes).buffer,
        columns: ["id"],
        compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      });
      ids.push(...rows.map((row) => row["id"] as bigint));
    }
  }
  return ids;
}

/** Starts S3rver from npm, which checks signatures. */
async function startS3(): Promise<string> {
  const place = join(folder, "s3");
  await mkdir(join(place, "data"), { recursive: true });
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", s3Server], { cwd: place });
  const port = await freePort();
  const program = join(place, "node_modules/s3rver/bin/s3rver.js");
  const args = [
    program,
    "--directory",
    join(place, "data"),
    "--port",
    String(port),
    "--configure-bucket",
    "backups",
  ];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  closers.push(async () => void child.kill());
  const endpoint = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(endpoint).catch(() => undefined);
    if (answer !== undefined) return endpoint;
    await sleep(100);
  }
  throw new Error("S3rver does not start.");
}

function environment(dataDir: string, variables: Record<string, string>): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir, SECRET_KEY: secretKey, ...variables };
}

/** Runs a command and returns its output. Rejects unless it succeeds. */
async function gateway(
  dataDir: string,
  variables: Record<string, string>,
  ...args: string[]
): Promise<string> {
  const { stdout } = await run(process.execPath, [program, ...args], {
    env: environment(dataDir, variables),
  });
  return stdout.trim();
}

/** Runs a command that must be refused. */
async function refuse(dataDir: string, variables: Record<string, string>, ...args: string[]): Promise<void> {
  const refusal = await gateway(dataDir, variables, ...args).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr.trim().split("\n").at(-1),
  );
  if (refusal === undefined) throw new Error(`gateway ${args.join(" ")} was not refused.`);
  console.log(`refused: ${refusal}`);
}

/** Kills a backup while it runs. Its file must not count as one. */
async function killBackup(dataDir: string, place: string, variables: Record<string, string>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [program, "backup", "--to", place], {
    env: environment(dataDir, variables),
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr?.on("data", (text: Buffer) => {
    if (text.includes("request_logs")) child.kill("SIGKILL");
  });
  await once(child, "exit");
}
