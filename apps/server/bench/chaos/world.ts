import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DemoUpstream, startDemoUpstream } from "@gateway/demo/server";
import { connect, type Database } from "#platform/database/db.ts";
import { startTcpProxy, type TcpProxy } from "#test/tcp-proxy.ts";
import { dataOf, sendRequest } from "../management-api.ts";
import { freePort, startLogging } from "../processes.ts";
import { startDatabasePair } from "./database-pair.ts";

/** Three gateways on one Postgres and one Redis. Each can be struck while the others continue. */
export interface World {
  /** Addresses of the gateways, whether running or not. */
  nodes: readonly string[];
  database: Database;
  /** One key per client, so that log rows can be assigned to clients. The last one has an account of its own. */
  keys: readonly string[];
  /** Whether the account of a client has so much that no call may be refused for its balance. */
  isRich(client: number): boolean;
  /** Kills and restarts a node. Resolves when the gateway responds. */
  killNode(index: number): Promise<void>;
  /** Sends SIGSTOP, and SIGCONT after `ms` milliseconds. */
  pauseNode(index: number, ms: number): Promise<void>;
  /** Requests the leases of all accounts from every node, `times` times, 50 ms apart. */
  recallLeases(times: number): Promise<void>;
  /** Disables one account under load, and enables it again after `ms` milliseconds. */
  disableAccount(ms: number): Promise<void>;
  /** Credits the account with a small balance. */
  credit(points: number): Promise<void>;
  /** Credits the account of the last key. Its calls of `fixedModel` cost `fixedCost` points each. */
  creditLast(points: number): Promise<void>;
  /** Stops forwarding on a node's open connections to Postgres, and resets them after `ms` milliseconds. */
  silenceDatabase(index: number, ms: number): Promise<void>;
  /** Kills the primary Postgres; its standby takes over. */
  failOver(): Promise<void>;
  /**
   * Resolves when Postgres responds again. "immediate" stops it without closing connections, as in a crash.
   */
  restartPostgres(how: "fast" | "immediate"): Promise<void>;
  /** Resolves when Redis is running again, empty. */
  pauseRedis(ms: number): Promise<void>;
  close(): Promise<void>;
}

const accessToken = "chaos-access-token-chaos-access-token";
const plenty = 1_000_000_000;
const openAiCompatible = 8;
const manyPerMinute = 100_000_000;

export const fixedModel = "demo-fixed";
export const fixedCost = 1_000;

export async function createWorld(
  nodeCount: number,
  clientCount: number,
  main = join(import.meta.dirname, "../../src/main.ts"),
): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-chaos-"));
  await chmod(folder, 0o755);
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const upstream = await startDemoUpstream();
    closers.push(() => upstream.close());
    const postgres = await startDatabasePair(folder);
    closers.push(() => postgres.stop());
    // A proxy per node, which can go silent, and which leads to the new primary after a failover.
    const proxies: TcpProxy[] = [];
    for (let index = 0; index <= nodeCount; index += 1) {
      const proxy = await startTcpProxy(postgres.url());
      proxies.push(proxy);
      closers.push(() => proxy.close());
    }
    const redisPort = await freePort();
    let redis = await startRedis(redisPort);
    closers.push(() => endProcess(redis, "SIGTERM"));

    const pids: number[] = [];
    const ports: number[] = [];
    for (let index = 0; index < nodeCount; index += 1) ports.push(await freePort());
    const nodes = ports.map((port) => `http://127.0.0.1:${port}`);
    const start = async (index: number) => {
      const ready = new Request(`${nodes[index]}/api/user/self`, { headers: { authorization: accessToken } });
      const env = {
        NODE_ENV: "production",
        HOST: "127.0.0.1",
        PORT: String(ports[index]),
        DATA_DIR: folder,
        DATABASE_URL: proxies[index]?.url ?? "",
        REDIS_URL: `redis://127.0.0.1:${redisPort}`,
        SECRET_KEY: "the same secret on every node of this run",
        ROOT_USERNAME: "chaos",
        ROOT_PASSWORD: "chaos-password-1",
        ROOT_ACCESS_TOKEN: accessToken,
        DEMO_UPSTREAM: "0",
        // The address of a call identifies it in the log.
        TRUST_PROXY: "loopback",
        LOG_LEVEL: "info",
        // Nodes that start are asked ten times per second whether they are ready, all from one address.
        API_RATE_LIMIT: "1000000",
      };
      // As a supervisor does: on a busy machine a start may find the database too slow, and ends.
      for (let tries = 1; ; tries += 1)
        try {
          pids[index] = await startLogging([main], env, folder, `node-${index}`, ready);
          return;
        } catch (error) {
          if (tries === 3) throw error;
        }
    };
    closers.push(async () => {
      for (const pid of pids) kill(pid, "SIGTERM");
      await Promise.all(pids.map((pid) => untilGone(pid)));
    });
    // The first node runs the migrations.
    await start(0);
    await Promise.all(nodes.slice(1).map((_, index) => start(index + 1)));
    const database = connect(proxies[nodeCount]?.url ?? "", { max: 3 });
    closers.push(() => database.close());
    const { keys, api, poor, other, last } = await furnish(nodes, upstream, database, clientCount);

    return {
      nodes,
      database,
      keys,
      isRich: (client) => client < clientCount && accountOf(client) !== "poor",
      async killNode(index) {
        kill(pids[index] ?? 0, "SIGKILL");
        await untilGone(pids[index] ?? 0);
        await start(index);
      },
      async pauseNode(index, ms) {
        kill(pids[index] ?? 0, "SIGSTOP");
        await sleep(ms);
        kill(pids[index] ?? 0, "SIGCONT");
      },
      async recallLeases(times) {
        for (let time = 0; time < times; time += 1) {
          await database.pool.query("SELECT pg_notify('gateway_changes', 'leases:0')");
          await sleep(50);
        }
      },
      async disableAccount(ms) {
        await api("PUT", "/user", { id: other, status: 2 });
        await sleep(ms);
        await api("PUT", "/user", { id: other, status: 1 });
      },
      async credit(points) {
        await api("POST", `/user/quota/${poor}`, { quota: points, remark: "chaos" });
      },
      async creditLast(points) {
        await api("POST", `/user/quota/${last}`, { quota: points, remark: "chaos" });
      },
      async silenceDatabase(index, ms) {
        proxies[index]?.silence();
        await sleep(ms);
        proxies[index]?.cut();
      },
      restartPostgres: (how) => postgres.restart(how),
      async failOver() {
        const target = await postgres.failOver();
        for (const proxy of proxies) proxy.retarget(target);
        for (const proxy of proxies) proxy.cut();
      },
      async pauseRedis(ms) {
        await endProcess(redis, "SIGKILL");
        await sleep(ms);
        redis = await startRedis(redisPort);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Furnished {
  keys: string[];
  api<T>(method: string, path: string, body?: object): Promise<T>;
  /** Ids of the account with a small balance, of the one that is temporarily disabled, and of the last key. */
  poor: number;
  other: number;
  last: number;
}

/** Returns whose key a client has. */
function accountOf(client: number): "self" | "poor" | "other" {
  if (client % 4 === 2) return "poor";
  return client % 4 === 3 ? "other" : "self";
}

/**
 * Creates a channel, accounts with a large and a small balance and one that is temporarily disabled, and a
 * key per client.
 */
async function furnish(
  nodes: readonly string[],
  upstream: DemoUpstream,
  database: Database,
  clientCount: number,
): Promise<Furnished> {
  async function api<T>(method: string, path: string, body?: object): Promise<T> {
    // A node may be starting, or the database may be failing over.
    for (let tries = 0; ; tries += 1) {
      const node = nodes[tries % nodes.length] ?? "";
      const response = await sendRequest(node, accessToken, method, path, body).catch((error: unknown) => {
        if (tries > 60) throw error;
      });
      if (response !== undefined && (response.status < 500 || tries > 60)) return dataOf(path, response);
      await sleep(500);
    }
  }
  await database.pool.query("UPDATE user_groups SET api_rate = $1", [manyPerMinute]);
  await database.pool.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  await api("POST", "/channel", {
    type: openAiCompatible,
    name: "chaos",
    base_url: upstream.url,
    key: "provider-key",
    models: ["demo-chat", fixedModel],
    groups: ["default"],
  });
  const self = await api<{ id: number }>("GET", "/user/self");
  await api("POST", `/user/quota/${self.id}`, { quota: plenty, remark: "chaos" });
  const accounts: number[] = [];
  for (const username of ["poor", "other", "last"]) {
    await api("POST", "/user", { username, password: "chaos-password-1", display_name: username });
    const found = await database.db.user.findUniqueOrThrow({ where: { username }, select: { id: true } });
    accounts.push(found.id);
  }
  const [poor = 0, other = 0, last = 0] = accounts;
  const price = { model: fixedModel, type: "times", channel_type: 1, input: 1, output: 1 };
  await api("POST", "/prices/single", price);
  await api("POST", `/user/quota/${other}`, { quota: plenty, remark: "chaos" });
  const keys: string[] = [];
  for (let client = 0; client <= clientCount; client += 1) {
    // Every other key has its own limits, so that strikes also affect those. Reservations of dead nodes count
    // against them until another node releases them, so the limits are large enough for that.
    const rates = { concurrency: 1_000, daily_spend: plenty, tokens_per_minute: 1_000_000_000 };
    const setting = client % 2 === 0 ? {} : { rates };
    const { key } = await api<{ key: string }>("POST", "/token", { name: `client-${client}`, setting });
    keys.push(key);
    // The key is unused so far, so its owner can be changed.
    const owner = client === clientCount ? last : { self: self.id, poor, other }[accountOf(client)];
    await database.pool.query("UPDATE tokens SET user_id = $1 WHERE name = $2", [owner, `client-${client}`]);
  }
  return { keys, api, poor, other, last };
}

async function startRedis(port: number): Promise<ChildProcess> {
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const redis = spawn("redis-server", flags, { stdio: ["ignore", "pipe", "ignore"] });
  const gone = once(redis, "exit").then(() => {
    throw new Error("redis-server does not start. It must be on PATH.");
  });
  const ready = new Promise<void>((resolve) => {
    let text = "";
    redis.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("Ready to accept connections")) resolve();
    });
  });
  await Promise.race([ready, gone]);
  gone.catch(() => undefined);
  return redis;
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid > 0 && process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  for (let tries = 0; tries < 600 && kill(pid, 0); tries += 1) await sleep(50);
}
