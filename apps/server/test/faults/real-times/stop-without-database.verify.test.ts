import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ProxiedGateway, startProxiedGateway } from "#test/faults/proxied-gateway.ts";

/** A gateway that is stopped while its database does not respond. It waits for its time limits. */
let site: ProxiedGateway;
beforeAll(async () => {
  site = await startProxiedGateway();
}, 60_000);
afterAll(() => site.close());

describe("a gateway", () => {
  it("stops on request when its database does not respond and a call is open", async () => {
    await expect.poll(async () => (await site.call()).status, { timeout: 20_000 }).toBe(200);
    site.proxy.silenceNew(true);
    site.proxy.silence();
    const open = site.call().catch(() => undefined);
    // The call has reached the gateway: it can only wait for the database.
    await sleep(1_000);
    site.gateway.process.kill("SIGTERM");
    const ended = await Promise.race([site.gateway.ended, sleep(110_000).then(() => "still running")]);
    expect(ended).not.toBe("still running");
    await open;
  }, 120_000);
});
