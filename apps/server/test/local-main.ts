import { readEnv } from "../src/env.ts";
import { startGateway } from "../src/start/index.ts";

/**
 * The gateway for browser tests. It may call private addresses, because the payment gateway is on this
 * machine.
 */
const gateway = await startGateway(readEnv(process.env), { mayReach: () => true });
const stop = () => void gateway.stop().then(() => process.exit(0));
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop);
