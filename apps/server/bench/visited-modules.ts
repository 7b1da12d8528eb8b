/**
 * Counts the modules that a reader of one chat request follows: those of gateway, relay, dialects, providers and
 * domain of which a function runs for it. Same dialect, whole response, with billing. Only modules that run in each of
 * several requests count: recurring work falls into some of them, but not into all. It is listed separately.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoUpstream } from "@gateway/demo/server";
import { startThrowAwayPostgres } from "#test/run/services.ts";
import { readEnv } from "../src/env.ts";
import { startGateway } from "../src/start/index.ts";
import { managementApi } from "./management-api.ts";

const accessToken = "structure-access-token-structure-access";
const sources = new URL("../src/", import.meta.url).href;
/** Time after the response in which its log line is written. Shorter than any interval of recurring work. */
const COUNTED_MS = 50;
const REQUESTS = 40;
/** The fastest requests count. Recurring work could fall into each of the slow ones. */
const COUNTED_REQUESTS = 12;
const followed = /^(?:gateway|relay|dialects|providers|domain)\//;

const folder = await mkdtemp(join(tmpdir(), "gateway-structure-"));
const postgres = await startThrowAwayPostgres();
const upstream = await startDemoUpstream();
const gateway = await startGateway(
  readEnv({
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    ROOT_USERNAME: "root",
    ROOT_PASSWORD: "structure-password-1",
    ROOT_ACCESS_TOKEN: accessToken,
    LOG_LEVEL: "silent",
  }),
);

const api = managementApi(gateway.url, accessToken);
const session = new Session();

/** Returns the modules that ran code meanwhile. */
async function ranDuring(work: () => Promise<unknown>): Promise<Set<string>> {
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  await sleep(COUNTED_MS);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const ran = result.filter(
    ({ url, functions }) =>
      url.startsWith(sources) &&
      functions.some(({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0),
  );
  const modules = ran.map(({ url }) => url.slice(sources.length));
  return new Set(modules.filter((module) => followed.test(module)));
}

try {
  const openAiCompatible = 8;
  await api("POST", "/channel", {
    type: openAiCompatible,
    name: "structure",
    base_url: upstream.url,
    key: "provider-key",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const { key } = await api<{ key: string }>("POST", "/token", { name: "structure", unlimited_quota: true });
  const chat = async () => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
    });
    if (answer.status !== 200) throw new Error(`A chat was answered with ${answer.status}.`);
    await answer.text();
  };
  // The first calls load and cache what later ones use.
  for (let call = 0; call < 5; call += 1) await chat();
  session.connect();
  await session.post("Profiler.enable");
  const measured: { modules: Set<string>; ms: number }[] = [];
  for (let request = 0; request < REQUESTS; request += 1) {
    const begun = performance.now();
    const modules = await ranDuring(chat);
    measured.push({ modules, ms: performance.now() - begun });
  }
  const fastest = measured.toSorted((one, other) => one.ms - other.ms).slice(0, COUNTED_REQUESTS);
  const requests = fastest.map(({ modules }) => modules);
  const all = [...new Set(requests.flatMap((modules) => [...modules]))].sort();
  const visited = all.filter((module) => requests.every((modules) => modules.has(module)));
  const recurring = all.filter((module) => !visited.includes(module));
  const list = (modules: readonly string[]) => modules.map((module) => `\n  ${module}`).join("");
  console.log(`one chat request visits ${visited.length} modules:${list(visited)}`);
  console.log(`recurring work, which does not count, ran in ${recurring.length} more:${list(recurring)}`);
} finally {
  session.disconnect();
  await gateway.stop();
  await upstream.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
