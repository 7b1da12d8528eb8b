import cluster from "node:cluster";
import { lastLine } from "#platform/log/log.ts";
import { countBuffersInHeapLimit } from "#platform/memory/start-memory.ts";
import { type Env, readEnv } from "./env.ts";
import type { Running } from "./start/context.ts";

/** Time after the last call for open bills, connections and an embedded database. */
const LAST_RESORT_SECONDS = 60;
/** Additional time of a primary process, which waits for its workers. */
const WORKERS_SECONDS = 10;

/**
 * Reads the environment, starts the gateway and handles signals. Errors before listening end with one clear
 * message.
 */
try {
  countBuffersInHeapLimit();
  const env = readEnv(process.env);
  const running = start(env);
  let isStarted = false;
  let stoppingSince: number | undefined;
  let exitCode = 0;
  const stop = () => {
    if (stoppingSince !== undefined) {
      // The first signal lets calls finish; a later one exits at once. One Ctrl-C arrives up to three times:
      // from the terminal, from npm and from the start script.
      if (performance.now() - stoppingSince > 1_000) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    const forCalls = isStarted ? env.drainSeconds + env.STOP_SECONDS : 0;
    const forWorkers = cluster.isPrimary && env.workers > 1 ? WORKERS_SECONDS : 0;
    // Last resort: ends the process if anything hangs.
    setTimeout(
      () => {
        report(new Error("The gateway did not stop in time; ending it."));
        process.exit(1);
      },
      (forCalls + LAST_RESORT_SECONDS + forWorkers) * 1_000,
    );
    // A signal during the start waits until the start ends, because a partial start could not be closed in
    // order.
    running
      .then((started) => started.stop())
      .then(
        () => process.exit(exitCode),
        (error: unknown) => {
          report(error, true);
          process.exit(1);
        },
      );
  };
  process.on("SIGTERM", stop);
  for (const signal of ["SIGINT", "SIGHUP"] as const)
    // A terminal signals every process. Workers ignore this: their primary process stops them.
    process.on(signal, cluster.isPrimary ? stop : () => undefined);
  // The start script was killed, so no signal would arrive any more.
  process.once("disconnect", stop);
  const { failed } = await running;
  isStarted = true;
  void failed?.then((error) => {
    report(error);
    exitCode = 1;
    stop();
  });
} catch (error) {
  report(explainError(error));
  process.exit(1);
}

/** Writes the last line of the process, in the format of the log. */
function report(error: unknown, detail = process.env.LOG_LEVEL === "debug"): void {
  console.error(lastLine(error, process.env.NODE_ENV === "production", detail));
}

/** Returns the error with what to correct, where the system's own message does not say it. */
function explainError(error: unknown): unknown {
  const { code, syscall, port } = (error ?? {}) as { code?: string; syscall?: string; port?: number };
  const { HOST = "0.0.0.0" } = process.env;
  // Names are looked up first.
  if (syscall === "getaddrinfo" && code !== undefined)
    return new Error(
      `HOST is ${HOST}, which cannot be resolved (${code}). Set HOST to an address of this machine.`,
      {
        cause: error,
      },
    );
  if (syscall !== "listen") return error;
  if (code === "EADDRINUSE")
    return new Error(`Port ${port} is used by another program. End it, or set PORT to another one.`, {
      cause: error,
    });
  if (code === "EACCES")
    return new Error(`This account may not use port ${port}. Set PORT to 1024 or more.`, { cause: error });
  if (code === "EADDRNOTAVAIL")
    return new Error(
      `HOST is ${HOST}, which is no address of this machine. Set HOST to one, or to 0.0.0.0 for all.`,
      {
        cause: error,
      },
    );
  return error;
}

/** Loads only the modules that this process needs: a primary process serves no calls. */
async function start(env: Env): Promise<Running> {
  if (cluster.isWorker) return (await import("./start/workers/worker.ts")).startWorker(env);
  if (env.workers > 1) return (await import("./start/workers/primary.ts")).startWorkers(env);
  return (await import("./start/index.ts")).startGateway(env);
}
