import { readEnv } from "./env.ts";
import { startGateway } from "./start/index.ts";

/** For what comes after the last call: open bills, connections, an embedded database. */
const lastResortSeconds = 60;

/** Environment → gateway → signals. Everything that can be wrong before listening ends in one sentence. */
try {
  const env = readEnv(process.env);
  const gateway = startGateway(env);
  let isStarted = false;
  let stoppingSince: number | undefined;
  const stop = () => {
    if (stoppingSince !== undefined) {
      // The first signal lets calls finish; a later one does not wait. One Ctrl-C comes up to three times:
      // from the terminal, from npm and from the start script.
      if (performance.now() - stoppingSince > 1_000) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    const forCalls = isStarted ? env.drainSeconds + env.STOP_SECONDS : 0;
    // The last resort: whatever hangs, the process ends.
    setTimeout(
      () => {
        console.error("The gateway did not stop in time; ending it.");
        process.exit(1);
      },
      (forCalls + lastResortSeconds) * 1_000,
    );
    // A signal during the start waits for its end: what was opened half way could not be closed in order.
    gateway
      .then((started) => started.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
  // The start script was killed: nobody could stop us any more.
  process.once("disconnect", stop);
  await gateway;
  isStarted = true;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (process.env.LOG_LEVEL === "debug") console.error(error);
  process.exit(1);
}
