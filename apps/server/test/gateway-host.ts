/**
 * A process that starts and stops gateways when its parent says so. Loading the modules takes most of a gateway's start,
 * and happens once here. Each worker of the browser tests has such a process.
 */
import { readEnv } from "../src/env.ts";
import { type Gateway, startGateway } from "../src/start/index.ts";
import type { HostAnswer, HostRequest } from "./gateway-host-messages.ts";

const gateways = new Map<string, Gateway>();

process.on("message", (request: HostRequest) => {
  void answerTo(request).then((answer) => process.send?.(answer));
});
process.once("disconnect", () => process.exit());

async function answerTo(request: HostRequest): Promise<HostAnswer> {
  const { id } = request;
  try {
    if (request.action === "start") return { id, url: await start(request.env, request.isLocal) };
    await stop(request.url);
    return { id };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function start(env: Record<string, string>, isLocal: boolean): Promise<string> {
  const gateway = await startGateway(readEnv(env), {
    keepStartMemory: true,
    // For example a payment gateway of the tests.
    ...(isLocal && { mayReach: () => true }),
  });
  gateways.set(gateway.url, gateway);
  return gateway.url;
}

async function stop(url: string): Promise<void> {
  const gateway = gateways.get(url);
  gateways.delete(url);
  await gateway?.stop();
}
