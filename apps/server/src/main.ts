import { readEnv } from "./env.ts";
import { startGateway } from "./start.ts";

/** Environment → gateway → signals. Everything that can be wrong before listening ends in one sentence. */
try {
  const gateway = await startGateway(readEnv(process.env));
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // The first signal lets calls finish; the second does not wait.
      if (stopping) process.exit(1);
      stopping = true;
      gateway.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (process.env.LOG_LEVEL === "debug") console.error(error);
  process.exit(1);
}
