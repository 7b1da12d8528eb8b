import { join } from "node:path";
import pg from "pg";
import { bundledMain, gatewayFlags } from "#test/gateway-process.ts";
import { managementApi } from "../management-api.ts";
import { freePort, type Started, startLogging } from "../processes.ts";
import { patientModel } from "./idle-streams.ts";
import { benchModel } from "./scenarios.ts";

/**
 * The gateway as an operator would run it: real Postgres, a channel to the provider, one token, billing
 * enabled.
 */
export interface BenchGateway extends Started {
  token: string;
  /** Returns the ledger's totals of the paying account. */
  account(): Promise<{ requests: number; charged: number }>;
  /** Returns the total times of the ledger's batches so far. */
  batches(): Promise<BatchSums>;
  /** Returns the p99 delay of the event loop since the last call, in milliseconds. */
  lateness(): Promise<number>;
  /** Returns the number of open streams. */
  streams(): Promise<number>;
}

export interface BatchSums {
  batches: number;
  /** Number of calls that began or ended in the batches. */
  steps: number;
  seconds: number;
}

export interface Providers {
  provider: string;
  demo: string;
}

const accessToken = "bench-access-token-bench-access-token";
const manyPerMinute = 100_000_000;

export async function startGateway(
  folder: string,
  databaseUrl: string,
  /** Addresses of the provider for the load, and of the built-in provider, whose streams can pause. */
  { provider, demo }: Providers,
  {
    withLedger = true,
    workers = 1,
    node = 1,
    main = "",
    environment = {},
  }: {
    withLedger?: boolean;
    workers?: number;
    node?: number;
    /** Another program to start: the gateway of another checkout, or its bundle. */
    main?: string;
    /** Further variables of its environment. */
    environment?: Record<string, string>;
  } = {},
): Promise<BenchGateway> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(port),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    ROOT_USERNAME: "bench",
    ROOT_PASSWORD: "bench-password-1",
    ROOT_ACCESS_TOKEN: accessToken,
    DEMO_UPSTREAM: "0",
    API_RATE_LIMIT: "1000000",
    WORKERS: `${workers}`,
    ...environment,
  };
  const name = withLedger ? `gateway-${workers}-${node}${main === "" ? "" : "-beside"}` : "without-ledger";
  const program = main || (withLedger ? bundledMain : join(import.meta.dirname, "without-ledger.ts"));
  // The root account is created after listening starts, so the gateway is ready when it accepts root.
  const ready = new Request(`${url}/api/user/self`, { headers: { authorization: accessToken } });
  const pid = await startLogging([...gatewayFlags, program], env, folder, name, ready);
  await liftRateLimit(databaseUrl);

  const api = managementApi(url, accessToken);
  const metrics = async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: accessToken } });
    const text = await answer.text();
    return (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  };
  const openAiCompatible = 8;
  const channel = { type: openAiCompatible, groups: ["default"] };
  await api("POST", "/channel", {
    ...channel,
    base_url: provider,
    name: "bench",
    key: "demo-fast",
    models: [benchModel],
  });
  await api("POST", "/channel", {
    ...channel,
    base_url: demo,
    name: "patient",
    key: "demo-patient",
    models: [patientModel],
    idle_timeout_ms: 3_600_000,
  });
  const { key } = await api<{ key: string }>("POST", "/token", {
    name: "bench",
    unlimited_quota: true,
  });
  return {
    url,
    pid,
    token: key,
    account: async () => {
      const self = await api<Record<string, unknown>>("GET", "/user/self");
      return { requests: Number(self["request_count"]), charged: Number(self["used_quota"]) };
    },
    async batches() {
      const read = await metrics();
      return {
        batches: read("gateway_ledger_batch_seconds_count"),
        steps: read("gateway_ledger_batch_steps_sum"),
        seconds: read("gateway_ledger_batch_seconds_sum"),
      };
    },
    streams: async () => (await metrics())("gateway_open_streams"),
    async lateness() {
      const read = await metrics();
      return read("nodejs_eventloop_lag_p99_seconds") * 1_000;
    },
  };
}

/** Raises the default limit of 600 calls per minute, which is a product limit, not its speed. */
async function liftRateLimit(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("UPDATE user_groups SET api_rate = $1", [manyPerMinute]);
  await client.query("SELECT pg_notify('gateway_changes', 'groups:0')");
  await client.end();
}
