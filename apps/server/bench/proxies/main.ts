import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoUpstream } from "@gateway/demo/server";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { root } from "#platform/places.ts";
import { managementApi } from "../management-api.ts";
import { freePort, startLogging, stopAll } from "../processes.ts";
import { checks, type Site } from "./checks.ts";
import { proxies } from "./examples.ts";

/**
 * pnpm verify:proxies: the examples of deploy/nginx and deploy/caddy in front of a gateway, on a host name of its own
 * and under a base path. Needs nginx, caddy and openssl on the PATH.
 */
const accessToken = "proxies-access-token-proxies-access-token";

const folder = await mkdtemp(join(tmpdir(), "gateway-proxies-"));
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
  const upstream = await startDemoUpstream();
  closers.push(() => upstream.close());
  const files = await startFileServer();
  let isGood = true;
  for (const basePath of ["", "/gateway"]) {
    const { node, ...access } = await startGateway(basePath, upstream.url, files);
    for (const [name, start] of Object.entries(proxies)) {
      const own = join(folder, `${name}${basePath.replace("/", "-")}`);
      await mkdir(own);
      const port = await start({ folder: own, node, hasBasePath: basePath !== "" });
      const site = { url: `https://localhost:${port}${basePath}`, ...access };
      isGood = (await checkSite(`${name}${basePath}`, site)) && isGood;
    }
  }
  return isGood;
}

/** Runs all checks on one proxy and prints a line for each. */
async function checkSite(name: string, site: Site): Promise<boolean> {
  let failed = 0;
  await listening(site.url);
  for (const [check, work] of Object.entries(checks)) {
    const outcome = await work(site).catch((error: unknown) => {
      failed += 1;
      return `FAILED: ${String(error)}`;
    });
    console.log(`${name}: ${check} ${outcome}`);
  }
  return failed === 0;
}

/** Waits until the proxy accepts connections, at most 20 seconds. */
async function listening(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const error = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(
      (cause: Error) => cause.cause,
    );
    // The certificate is not trusted here, so that its refusal shows that the proxy listens.
    if ((error as { code?: string } | undefined)?.code !== "ECONNREFUSED") return;
    await sleep(200);
  }
}

/** A provider that counts the bytes of each file. Returns its address. */
async function startFileServer(): Promise<string> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () =>
      response.setHeader("content-type", "application/json").end(JSON.stringify({ bytes })),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startGateway(
  basePath: string,
  upstream: string,
  files: string,
): Promise<{ node: number; key: string; channel: number }> {
  const dataDir = join(folder, `data${basePath.replace("/", "-")}`);
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
  closers.push(() => postgres.stop(), stopAll);
  const node = await freePort();
  const url = `http://127.0.0.1:${node}${basePath}`;
  const env = {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: `${node}`,
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    SECRET_KEY: "the secret of the node behind the proxies",
    BASE_PATH: basePath,
    TRUST_PROXY: "loopback",
    ROOT_USERNAME: "proxies",
    ROOT_PASSWORD: "proxies-password-1",
    ROOT_ACCESS_TOKEN: accessToken,
    DEMO_UPSTREAM: "0",
    DRAIN_SECONDS: "0",
    STOP_SECONDS: "5",
    LOG_LEVEL: "warn",
  };
  const main = join(root, "apps/server/dist/bundle/main.js");
  await startLogging([main], env, folder, `gateway-${node}`, new Request(`${url}/api/ready`));
  return { node, ...(await furnish(url, upstream, files)) };
}

/** Creates channels to the simulated provider and to the one for files, and a key with enough money. */
async function furnish(
  url: string,
  upstream: string,
  files: string,
): Promise<{ key: string; channel: number }> {
  const api = managementApi(url, accessToken);
  const channel = { type: 8, key: "key", groups: ["default"] };
  await api("POST", "/channel", { ...channel, name: "demo", base_url: upstream, models: ["demo-chat"] });
  // Type 1 is OpenAI, whose files are passed on.
  const forFiles = { ...channel, type: 1, name: "files", base_url: files, models: ["no-chat"] };
  await api("POST", "/channel", forFiles);
  const { data } = await api<{ data: { id: number; name: string }[] }>("GET", "/channel/?size=10");
  const { id } = await api<{ id: number }>("GET", "/user/self");
  await api("POST", `/user/quota/${id}`, { quota: 1_000_000_000, remark: "proxies" });
  const { key } = await api<{ key: string }>("POST", "/token", { name: "proxies", unlimited_quota: true });
  return { key, channel: data.find(({ name }) => name === "files")?.id ?? 0 };
}
