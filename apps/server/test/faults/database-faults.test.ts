import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ProxiedGateway, startProxiedGateway } from "./proxied-gateway.ts";

/** A gateway whose database stops responding, closes connections, or is locked by an operator. */
let site: ProxiedGateway;
beforeAll(async () => {
  site = await startProxiedGateway();
}, 60_000);
afterAll(() => site.close());

const ready = async () => (await fetch(`${site.gateway.url}/api/ready`)).status;

describe("a gateway", () => {
  it(
    "serves calls when every connection to its database has stopped responding",
    { tags: "nightly", timeout: 90_000 },
    async () => {
      expect((await site.call()).status).toBe(200);
      site.proxy.silence();
      const answers = await Promise.all(Array.from({ length: 5 }, () => site.call()));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      await expect.poll(ready, { timeout: 15_000 }).toBe(200);
    },
  );

  it("returns nothing worse than 503 when all its connections are ended again and again", async () => {
    await expect
      .poll(() => site.gateway.api("GET", "/channel").then(() => "served", String), { timeout: 30_000 })
      .toBe("served");
    // No node has cached these keys, so each is read from the database.
    const keys = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        site.gateway.api<{ key: string }>("POST", "/token", { name: `t${index}` }),
      ),
    );
    const statuses = new Set<number>();
    const calls = keys.map(async (token, index) => {
      await sleep(index * 50);
      const { status, retryAfter } = await site.call(token.key);
      statuses.add(status);
      if (status !== 200) expect(retryAfter).not.toBeNull();
    });
    for (let round = 0; round < 5; round += 1) {
      await sleep(200);
      await site.database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name LIKE 'gateway%' AND pid <> pg_backend_pid() AND datname = current_database()
           AND client_port <> (SELECT client_port FROM pg_stat_activity WHERE pid = pg_backend_pid())`,
      );
    }
    await Promise.all(calls);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  }, 60_000);
});
