import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort, startProgram } from "../processes.ts";
import { accepting } from "./pgbouncer.ts";

const NAME = "limits";
const FAILOVER_MS = 30_000;

/** Starts a Redis master, a replica and three Sentinel servers. */
export async function startWatchedRedis(folder: string) {
  const ports = [await freePort(), await freePort()] as const;
  const pids = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    const replica = index === 0 ? [] : ["--replicaof", "127.0.0.1", `${ports[0]}`];
    const args = ["--port", `${port}`, "--save", "", "--dir", folder, ...replica];
    pids.set(port, await startProgram("redis-server", args, {}, folder, `redis-${port}`));
    await accepting(port);
  }
  const sentinels: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const port = await freePort();
    const own = join(folder, `sentinel-${port}`);
    await mkdir(own);
    const config = join(own, "sentinel.conf");
    await writeFile(
      config,
      `port ${port}
sentinel monitor ${NAME} 127.0.0.1 ${ports[0]} 2
sentinel down-after-milliseconds ${NAME} 1000
sentinel failover-timeout ${NAME} 5000
`,
    );
    await startProgram("redis-server", [config, "--sentinel"], {}, folder, `sentinel-${port}`);
    await accepting(port);
    sentinels.push(port);
  }
  const observer = new Redis(sentinels[0] ?? 0, "127.0.0.1", { lazyConnect: true });

  async function master(): Promise<number> {
    const address = (await observer.call("SENTINEL", "get-master-addr-by-name", NAME)) as string[];
    return Number(address[1]);
  }

  return {
    url: `redis://${NAME}`,
    sentinels: sentinels.map((port) => `127.0.0.1:${port}`).join(","),
    master,
    /** Resolves when Sentinel has made the replica the master. */
    async killMaster() {
      const before = await master();
      process.kill(pids.get(before) ?? 0, "SIGKILL");
      for (const begun = Date.now(); (await master()) === before; await sleep(200))
        if (Date.now() - begun > FAILOVER_MS) throw new Error("Sentinel elects no other master.");
    },
    close: () => observer.disconnect(),
    /** Number of keys of the current master. */
    async keys() {
      const redis = new Redis(await master(), "127.0.0.1");
      try {
        return await redis.dbsize();
      } finally {
        redis.disconnect();
      }
    },
  };
}
