/**
 * `pnpm verify:databases`: two nodes behind pgbouncer in transaction mode, with a standby for screens and a Redis
 * that Sentinel watches. Under load, the standby is paused and stopped, pgbouncer is restarted and the Redis master is
 * killed. No call and no screen may fail, changes must reach both nodes, and the audit must find no difference.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoUpstream } from "@gateway/demo/server";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect } from "#platform/database/db.ts";
import { root } from "#platform/places.ts";
import { startReplicatedPostgres } from "#test/standby.ts";
import { type ManagementApi, managementApi } from "../management-api.ts";
import { freePort, startLogging, stopAll, tailOf } from "../processes.ts";
import { send } from "../restart/calls.ts";
import { startPgbouncer } from "./pgbouncer.ts";
import { startWatchedRedis } from "./sentinel.ts";
import { failStandby } from "./standby.ts";

const accessToken = "databases-access-token-databases-access";
const CALLS = 1_500;
const CLIENTS = 12;
/** Requests per minute of an account, more than are sent. */
const RATE = 100_000;
/** Milliseconds until a change must have reached the other node. */
const CHANGE_MS = 5_000;

const names = ["gateway-0", "gateway-1"] as const;
const folder = await mkdtemp(join(tmpdir(), "gateway-databases-"));
// Postgres and pgbouncer run as other users when this process is root, and need access to the folder.
await chmod(folder, 0o755);
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  process.exitCode = (await run()) ? 0 : 1;
} catch (error) {
  process.exitCode = 1;
  console.error(error);
} finally {
  for (const closer of closers.reverse()) await closer().catch(console.error);
}
process.exit();

async function run(): Promise<boolean> {
  const upstream = await startDemoUpstream();
  closers.push(() => upstream.close());
  const replicated = await startReplicatedPostgres();
  const postgres = replicated.primary;
  closers.push(() => replicated.close(), stopAll);
  const pgbouncer = await startPgbouncer(folder, postgres.url);
  const redis = await startWatchedRedis(folder);
  closers.push(async () => redis.close());
  const nodes: string[] = [];
  for (const name of names) {
    const url = `http://127.0.0.1:${await freePort()}`;
    nodes.push(url);
    const env = {
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: new URL(url).port,
      DATA_DIR: folder,
      DATABASE_URL: pgbouncer.url,
      DATABASE_DIRECT_URL: postgres.url,
      DATABASE_REPLICA_URL: replicated.standby.url,
      DATABASE_REPLICA_LAG_SECONDS: "1",
      REDIS_URL: redis.url,
      REDIS_SENTINELS: redis.sentinels,
      SECRET_KEY: "the secret of the nodes behind pgbouncer",
      ROOT_USERNAME: "databases",
      ROOT_PASSWORD: "databases-password-1",
      ROOT_ACCESS_TOKEN: accessToken,
      DEMO_UPSTREAM: "0",
      API_RATE_LIMIT: "1000000",
      STOP_SECONDS: "5",
      DRAIN_SECONDS: "0",
      LOG_LEVEL: "warn",
    };
    const main = join(root, "apps/server/dist/bundle/main.js");
    await startLogging([main], env, folder, name, new Request(`${url}/api/ready`));
  }
  closers.push(async () => {
    if (process.exitCode === 1) for (const name of names) console.error(`${name}:\n${tailOf(folder, name)}`);
  });
  const database = connect(postgres.url, { max: 2 });
  closers.push(() => database.close());
  await database.pool.query("UPDATE user_groups SET api_rate = $1", [RATE]);
  await database.pool.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  const first = managementApi(nodes[0] ?? "", accessToken);
  const token = await furnish(first, upstream.url);
  const load = applyLoad(nodes, token.key);
  await load.until(CALLS / 6);
  const ofStandby = await failStandby({ nodes, accessToken, replicated });
  await load.until(CALLS / 3);
  await pgbouncer.restart();
  await load.until((CALLS * 2) / 3);
  const masterBefore = await redis.master();
  await redis.killMaster();
  const failures = await load.done;
  const masterAfter = await redis.master();
  const results = {
    ...ofStandby,
    "calls completed": failures.length === 0,
    "another Redis is the master": masterAfter !== masterBefore,
    "limits are counted in the new master": (await redis.keys()) > 0,
    "a change reaches the other node": await deleteKey(first, token.id, nodes[1] ?? "", token.key),
    "the audit finds no difference": (await audit(database.pool)).drift === 0n,
  };
  for (const [what, isTrue] of Object.entries(results)) console.log(`${isTrue ? "ok" : "FAILED"}: ${what}`);
  for (const failure of failures.slice(0, 10)) console.log(`  ${failure}`);
  return Object.values(results).every(Boolean);
}

interface Token {
  id: number;
  key: string;
}

/** Creates a channel to the simulated provider, and a token with enough money. */
async function furnish(api: ManagementApi, upstream: string): Promise<Token> {
  const models = ["demo-chat"];
  await api("POST", "/channel", {
    type: 8,
    name: "demo",
    base_url: upstream,
    key: "key",
    models,
    groups: ["default"],
  });
  const { id } = await api<{ id: number }>("GET", "/user/self");
  await api("POST", `/user/quota/${id}`, { quota: 1_000_000_000, remark: "databases" });
  return api<Token>("POST", "/token", { name: "databases", unlimited_quota: true });
}

/** Sends calls to both nodes in turn. */
function applyLoad(nodes: readonly string[], key: string) {
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < CALLS) {
      const number = sent++;
      const failure = await send(nodes[number % nodes.length] ?? "", key, number, agent);
      if (failure !== undefined) failures.push(`${failure.call} ${failure.what}`);
    }
  };
  const done = Promise.all(Array.from({ length: CLIENTS }, client)).then(() => failures);
  const until = async (count: number) => {
    const isBefore = () => sent < count;
    while (isBefore()) await sleep(50);
  };
  return { until, done };
}

/** Returns whether a key that one node deletes is refused by the other one in time. */
async function deleteKey(api: ManagementApi, id: number, node: string, key: string): Promise<boolean> {
  await api("DELETE", `/token/${id}`);
  const agent = new Agent();
  for (const begun = Date.now(); Date.now() - begun < CHANGE_MS; await sleep(100))
    if ((await send(node, key, 0, agent)) !== undefined) return true;
  return false;
}
