import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemoUpstream } from "@gateway/demo/server";
import { connect } from "#platform/database/db.ts";
import { root } from "#platform/places.ts";
import { startReplicatedPostgres } from "#test/standby.ts";
import { readCommandLine } from "../command-line.ts";
import { freePort, startLogging, startProgram, stopAll } from "../processes.ts";
import { accessToken, applyLoad, furnish } from "./load.ts";
import { type Prometheus, promtool, startPrometheus } from "./prometheus.ts";
import { alertQueries, dashboardQueries, type Query } from "./queries.ts";

/**
 * pnpm verify:monitoring: a Prometheus reads a gateway with a standby under load, and runs every query of the dashboards and
 * alerts. Each must return data, and promtool must accept rules and metrics. Needs prometheus, promtool and redis-server.
 */
const { seconds } = readCommandLine("pnpm verify:monitoring", {
  seconds: { whole: 60, help: "seconds of load" },
});

const folder = await mkdtemp(join(tmpdir(), "gateway-monitoring-"));
// Postgres runs as another user when this process is root, and needs access to the folder.
await chmod(folder, 0o755);
const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const closer of closers.reverse()) await closer().catch(console.error);
}
process.exit();

async function run(): Promise<boolean> {
  promtool(["check", "rules", join(root, "deploy/prometheus/alerts.yml")]);
  const queries = [...(await dashboardQueries()), ...(await alertQueries())];
  const { url, databaseUrl, upstream } = await startWorld();
  const database = connect(databaseUrl, { max: 2 });
  closers.push(() => database.close());
  await database.pool.query("UPDATE user_groups SET api_rate = 100000000");
  await database.pool.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  const keys = await furnish(url, upstream);
  const prometheus = await startPrometheus(folder, { target: new URL(url).host, accessToken });
  const load = applyLoad(url, keys, { database, seconds });
  // The checks run during the last seconds, so that what is true only under load can be seen.
  const checked = new Promise((resolve) => setTimeout(resolve, (seconds - 10) * 1_000)).then(() =>
    check(prometheus, queries, url),
  );
  const [problems] = await Promise.all([checked, load]);
  for (const problem of problems) console.log(problem);
  console.log(`${prometheus.version}: ${queries.length} queries, ${problems.length} problems`);
  return problems.length === 0;
}

/** Starts Postgres with a standby, Redis, the simulated provider and a gateway. */
async function startWorld(): Promise<{ url: string; databaseUrl: string; upstream: string }> {
  const upstream = await startDemoUpstream();
  closers.push(() => upstream.close());
  const { primary, standby, close } = await startReplicatedPostgres();
  closers.push(close, stopAll);
  const redisPort = await freePort();
  const flags = ["--port", `${redisPort}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  await startProgram("redis-server", flags, {}, folder, "redis");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: `${port}`,
    DATA_DIR: folder,
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URL: standby.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    SECRET_KEY: "the secret of the node that is monitored",
    ROOT_USERNAME: "monitoring",
    ROOT_PASSWORD: "monitoring-password-1",
    ROOT_ACCESS_TOKEN: accessToken,
    DEMO_UPSTREAM: "0",
    DRAIN_SECONDS: "0",
    STOP_SECONDS: "5",
    LOG_LEVEL: "error",
  };
  const main = join(root, "apps/server/dist/bundle/main.js");
  await startLogging([main], env, folder, "gateway", new Request(`${url}/api/ready`));
  return { url, databaseUrl: primary.url, upstream: upstream.url };
}

/** Returns what is wrong with queries, rules and metrics. */
async function check(prometheus: Prometheus, queries: readonly Query[], url: string): Promise<string[]> {
  const problems: string[] = await prometheus.ruleErrors();
  for (const { where, expression } of queries) {
    const found = await prometheus.query(expression).catch((error: unknown) => String(error));
    if (typeof found === "string") problems.push(`${where}: ${found}\n  ${expression}`);
    else if (!found.some(({ value }) => Number.isFinite(Number(value[1]))))
      problems.push(`${where}: ${found.length === 0 ? "no data" : "no number"}\n  ${expression}`);
  }
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${accessToken}` } });
  try {
    promtool(["check", "metrics"], await response.text());
  } catch (error) {
    problems.push(String(error));
  }
  return problems;
}
