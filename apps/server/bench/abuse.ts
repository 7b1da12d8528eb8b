/**
 * CPU time per megabyte of requests that are not paid, beside a plain `JSON.parse` of the same text in the same
 * run: without a key, of an account without a balance, and of one with a balance whose request is refused.
 */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { startGateway } from "./calls/gateway.ts";
import { benchModel } from "./calls/scenarios.ts";
import { startServer, stopAll } from "./processes.ts";

const MEGABYTE = 1024 * 1024;
const TIMES = 8;
/** Ticks of `/proc/<pid>/stat` per second. */
const TICKS = 100;

const numbered = (count: number, entry: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => entry(index)).join(",");
const chat = (rest: string) =>
  `{"model":"${benchModel}","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],${rest}}`;

const bodies: Record<string, string> = {
  "a long text": chat(`"user":"${"word ".repeat(MEGABYTE)}"`),
  "240,000 keys": chat(`"metadata":{${numbered(240_000, (index) => `"name${index}":1`)}}`),
  "300,000 numbers": chat(`"input":[${numbered(300_000, String)}]`),
  "90,000 lists": chat(`"input":[${numbered(90_000, () => "[[]]")}]`),
};
const paths = ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/embeddings", "/api/user/login"];

const folder = await mkdtemp(join(tmpdir(), "gateway-abuse-"));
await chmod(folder, 0o755);
const database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
try {
  const demo = fileURLToPath(import.meta.resolve("@gateway/demo/main"));
  const upstream = await startServer([demo, "--port", "0"], folder, "provider");
  const { url, pid, token } = await startGateway(folder, database.url, {
    provider: upstream.url,
    demo: upstream.url,
  });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  console.log(
    "CPU ms per MB of JSON | without a key | without a balance | the same in gzip | with a balance",
  );
  for (const [name, body] of Object.entries(bodies)) {
    const text = Buffer.from(body);
    const plain = parseCost(body);
    for (const path of paths) {
      const cost = async (given: Record<string, string>, sent = text) =>
        (await cpuOf(pid, () => send(url + path, sent, given))) / (text.length / MEGABYTE);
      await client.query("UPDATE users SET quota = 0");
      await new Promise((resolve) => setTimeout(resolve, 11_000));
      const cells = [await cost({ "content-type": "application/json" }), await cost(headers)];
      cells.push(await cost({ ...headers, "content-encoding": "gzip" }, gzipSync(text)));
      await client.query("UPDATE users SET quota = 1000000000");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      cells.push(await cost(headers));
      const shown = cells.map((ms) => `${ms.toFixed(1)} (${(ms / plain).toFixed(1)} x JSON.parse)`);
      console.log([name.padEnd(16), path.padEnd(22), ...shown].join(" | "));
    }
  }
  await client.end();
} finally {
  await stopAll();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Returns the CPU milliseconds of a plain parse, per megabyte. */
function parseCost(body: string): number {
  JSON.parse(body);
  const begun = process.cpuUsage();
  for (let count = 0; count < TIMES; count += 1) JSON.parse(body);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000 / TIMES / (Buffer.byteLength(body) / MEGABYTE);
}

/** Returns the CPU milliseconds that the process used for one run. */
async function cpuOf(pid: number, run: () => Promise<unknown>): Promise<number> {
  await run();
  const begun = await ticksOf(pid);
  for (let count = 0; count < TIMES; count += 1) await run();
  return (((await ticksOf(pid)) - begun) * 1_000) / TICKS / TIMES;
}

async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function send(url: string, body: Buffer, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", agent: false, headers });
    sent.on("response", (answer) => {
      answer.resume().on("close", () => resolve(answer.statusCode));
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}
