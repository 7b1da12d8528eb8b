/**
 * `pnpm verify:memory`: a gateway that may use 512 MB and one core, limited by the kernel, serves 500 slow streams and
 * 20 bodies of 10 MB at once. Of 100 such bodies at once it refuses what does not fit with 503 and `Retry-After`. The
 * kernel never ends it. Linux with control groups (version 1 or 2) and the right to create one.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "#platform/database/embedded-postgres.ts";
import { type BenchGateway, startGateway } from "../calls/gateway.ts";
import type { LoadOrder, LoadResult } from "../calls/load.ts";
import { benchModel } from "../calls/scenarios.ts";
import { pin, runToEnd, startServer, stopAll } from "../processes.ts";

const MEGABYTE = 1024 * 1024;
const LIMIT = 512 * MEGABYTE;
const BODY = 10 * MEGABYTE;
const groups = "/sys/fs/cgroup";

interface ControlGroup {
  add(pid: number): void;
  /** Moves a process out of the group. */
  release(pid: number): void;
  peak(): number;
  remove(): void;
}

function createGroup(): ControlGroup {
  const isOld = existsSync(join(groups, "memory"));
  const parent = isOld ? join(groups, "memory") : groups;
  const path = join(parent, `gateway-memory-${process.pid}`);
  const write = (file: string, value: number) => writeFileSync(join(path, file), String(value));
  try {
    mkdirSync(path);
    write(isOld ? "memory.limit_in_bytes" : "memory.max", LIMIT);
  } catch (error) {
    throw new Error(`This system does not let the check limit a process's memory: ${String(error)}`, {
      cause: error,
    });
  }
  const peakFile = join(path, isOld ? "memory.max_usage_in_bytes" : "memory.peak");
  return {
    add: (pid) => write("cgroup.procs", pid),
    release: (pid) => writeFileSync(join(parent, "cgroup.procs"), String(pid)),
    peak: () => Number(readFileSync(peakFile, "utf8")) / MEGABYTE,
    remove: () => rmdirSync(path),
  };
}

/** A chat with an image of 10 MB. */
const largeBody = JSON.stringify({
  model: benchModel,
  max_tokens: 16,
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Describe it." },
        { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(BODY)}` } },
      ],
    },
  ],
});

interface LargeResults {
  served: number;
  refused: number;
}

/** Sends bodies at once. Throws for any response but 200, or 503 with `Retry-After`. */
async function sendLarge(gateway: BenchGateway, count: number): Promise<LargeResults> {
  const results = { served: 0, refused: 0 };
  const send = async () => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
      body: largeBody,
      signal: AbortSignal.timeout(120_000),
    });
    const text = await response.text();
    if (response.status === 200) results.served += 1;
    else if (response.status === 503 && Number(response.headers.get("retry-after")) > 0) results.refused += 1;
    else throw new Error(`A large body got ${response.status}: ${text.slice(0, 300)}`);
  };
  await Promise.all(Array.from({ length: count }, send));
  return results;
}

const folder = await mkdtemp(join(tmpdir(), "gateway-memory-"));
await chmod(folder, 0o755);
const group = createGroup();
const database = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
try {
  const provider = await startServer([join(import.meta.dirname, "../calls/provider.ts")], folder, "provider");
  const demoMain = fileURLToPath(import.meta.resolve("@gateway/demo/main"));
  const demo = await startServer([demoMain, "--port", "0"], folder, "demo");
  // The limit must hold from the start, because V8 chooses the size of its heap by it. A child inherits it.
  group.add(process.pid);
  const gateway = await startGateway(folder, database.url, { provider: provider.url, demo: demo.url });
  group.release(process.pid);
  pin(gateway.pid, "0");
  const order: LoadOrder = {
    urls: [gateway.url],
    key: gateway.token,
    scenario: "burst",
    translates: true,
    connections: 500,
    seconds: 1,
  };
  const streaming = runToEnd(
    [join(import.meta.dirname, "../calls/load.ts"), JSON.stringify(order)],
    folder,
    "load",
  );
  // All streams are open by now, and none has ended.
  await sleep(3_000);
  const twenty = await sendLarge(gateway, 20);
  const streams = JSON.parse(await streaming) as LoadResult;
  if (streams.failed > 0) throw new Error(`${streams.failed} streams failed: ${streams.firstFailure}`);
  if (twenty.served < 20) throw new Error(`Of 20 bodies of 10 MB only ${twenty.served} were served.`);
  const hundred = await sendLarge(gateway, 100);
  if (hundred.served === 0) throw new Error("Of 100 bodies of 10 MB none was served.");
  await gateway.account();
  console.log(
    `In 512 MB, on one core: 500 slow streams and 20 of 20 bodies of 10 MB at once; of 100 bodies at once ${hundred.served} served and ` +
      `${hundred.refused} refused with 503. Peak ${group.peak().toFixed(0)} MB.`,
  );
} finally {
  await stopAll();
  await database.stop();
  group.remove();
  await rm(folder, { recursive: true, force: true });
}
