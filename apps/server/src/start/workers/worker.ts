import type { Env } from "#env.ts";
import { type Gateway, startGateway } from "#start/index.ts";
import { openWorkerLink } from "./link.ts";

/** Starts a gateway as one of several workers behind one port, as instructed by the primary process. */
export async function startWorker(env: Env): Promise<Gateway> {
  const link = await openWorkerLink();
  const gateway = await startGateway(env, {}, link);
  link.started(gateway);
  return gateway;
}
