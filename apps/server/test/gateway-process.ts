import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "#platform/places.ts";

/** The gateway in a process of its own, which tests can stop, kill and measure. */
export interface GatewayProcess {
  url: string;
  process: ChildProcess;
  /** The lines of its log. */
  log: readonly string[];
  /** Its exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  /** Calls the management API as root. Throws unless the response reports success. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/** Flags of Node with which `npm start` and the image start the gateway, explained in scripts/steps.mjs. */
export const gatewayFlags = ["--v8-pool-size=1"];
/** The bundled server, as `npm start` and the image run it. The test run builds it. */
export const bundledMain = join(root, "apps/server/dist/bundle/main.js");
/** Compiled modules of earlier processes, as `npm start` keeps them. */
export const compileCache = join(root, "node_modules/.gateway/compile-cache");
/** How programs sign in as root. */
export const rootAccount = {
  password: "correct horse battery",
  accessToken: "root-access-token-of-a-process-of-its-own-012",
} as const;

interface GatewayEnv {
  SECRET_KEY?: string;
  DATABASE_URL: string;
  DATA_DIR: string;
  DEMO_UPSTREAM?: string;
  MEMORY_BUDGET_MB?: string;
  LOG_LEVEL?: string;
  ACCESS_LOG?: string;
  NODE_ENV?: string;
  WORKERS?: string;
  STOP_SECONDS?: string;
  DRAIN_SECONDS?: string;
  REDIS_URL?: string;
  PORT?: string;
  API_RATE_LIMIT?: string;
  NODE_OPTIONS?: string;
  IDENTITY_ENDPOINT?: string;
  IDENTITY_HEADER?: string;
}

/** Limits of the process: the maximum file size in kilobytes, which simulates a full disk. */
interface ProcessLimits {
  fileKilobytes?: number;
}

/**
 * Starts the process on a free port that it chooses itself. A port chosen beforehand could be taken by then.
 */
export async function startGatewayProcess(
  env: GatewayEnv,
  { fileKilobytes }: ProcessLimits = {},
): Promise<GatewayProcess> {
  const [program, ...options] =
    fileKilobytes === undefined
      ? [process.execPath]
      : ["sh", "-c", `ulimit -f ${fileKilobytes * 2}; exec "$0" "$@"`, process.execPath];
  const child = spawn(program ?? "", [...options, ...gatewayFlags, bundledMain], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      NODE_ENV: "test",
      HOST: "127.0.0.1",
      PORT: "0",
      ROOT_USERNAME: "root",
      ROOT_PASSWORD: rootAccount.password,
      ROOT_ACCESS_TOKEN: rootAccount.accessToken,
      LOG_LEVEL: "info",
      ...env,
    },
  });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const output: string[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    // Reads all output, because a full pipe would block the process.
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, found] = /Listening on http:\/\/localhost:(\d+)/.exec(line) ?? [];
      if (found === undefined) output.push(line);
      else resolve(found);
    });
    void ended.then(() => reject(new Error(`The gateway did not start. ${output.join("\n")}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    process: child,
    log: output,
    ended,
    async api<T>(method: string, path: string, body?: unknown): Promise<T> {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: {
          "api-version": "2",
          authorization: rootAccount.accessToken,
          "content-type": "application/json",
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const answer = (await response.json()) as { success: boolean; data: T };
      if (!answer.success) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
      return answer.data;
    },
  };
}

/** Kills nodes, also paused ones. */
export async function killNodes(...nodes: GatewayProcess[]): Promise<void> {
  for (const node of nodes) {
    node.process.kill("SIGCONT");
    node.process.kill("SIGKILL");
    await node.ended;
  }
}
