/** Gateways of a proof: how they are started, stopped and furnished. */
import { setTimeout as sleep } from "node:timers/promises";
import { type ManagementApi, managementApi } from "./management-api.ts";
import { startLogging } from "./processes.ts";

const accessToken = "proof-access-token-proof-access-token-0123";

export interface NodeOptions {
  /** The program: dist/bundle/main.js of a version. */
  main: string;
  /** For its log and DATA_DIR. */
  folder: string;
  name: string;
  port: number;
  databaseUrl: string;
  drainSeconds?: string;
}

/** Starts a node, and waits until it is ready. Returns its process id. */
export function startNode({
  main,
  folder,
  name,
  port,
  databaseUrl,
  drainSeconds = "2",
}: NodeOptions): Promise<number> {
  const env = {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(port),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: "the same secret on every node of this run",
    ROOT_USERNAME: "proof",
    ROOT_PASSWORD: "proof-password-1",
    ROOT_ACCESS_TOKEN: accessToken,
    DEMO_UPSTREAM: "0",
    TRUST_PROXY: "loopback",
    DRAIN_SECONDS: drainSeconds,
    LOG_LEVEL: "warn",
  };
  return startLogging([main], env, folder, name, new Request(`http://127.0.0.1:${port}/api/ready`));
}

/** Stops a node as an operator does, and waits for its end. */
export async function stopNode(pid: number): Promise<void> {
  process.kill(pid, "SIGTERM");
  while (isAlive(pid)) await sleep(20);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the management API of a node, called as root. */
export function rootApi(node: string): ManagementApi {
  return managementApi(node, accessToken);
}

/** Creates a channel to the simulated provider, and a key with enough money. Returns the key. */
export async function furnish(node: string, upstream: string): Promise<string> {
  const api = rootApi(node);
  const models = ["demo-chat"];
  const channel = { type: 8, name: "demo", base_url: upstream, key: "key", models, groups: ["default"] };
  await api("POST", "/channel", channel);
  const self = await api<{ id: number }>("GET", "/user/self");
  await api("POST", `/user/quota/${self.id}`, { quota: 1_000_000_000, remark: "proof" });
  return (await api<{ key: string }>("POST", "/token", { name: "proof", unlimited_quota: true })).key;
}
