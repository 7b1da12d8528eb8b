/** A node whose wall clock is set forward and back while it serves calls. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

const HOUR = 3_600_000;
const jumps = [HOUR, -2 * HOUR, 240 * HOUR];

/** Preloaded script of the node: each SIGUSR2 moves its wall clock. */
const jumpingClock = `
  const RealDate = Date;
  const jumps = ${JSON.stringify(jumps)};
  let shift = 0;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + shift);
      else super(...given);
    }
    static now() {
      return RealDate.now() + shift;
    }
  };
  process.on("SIGUSR2", () => {
    shift = jumps.shift() ?? 0;
    console.log("the clock jumped by " + shift);
  });`;

let place: TestDatabase;
let database: Database;
let dataDir: string;
let node: GatewayProcess;

beforeAll(async () => {
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  dataDir = await mkdtemp(join(tmpdir(), "gateway-clock-"));
  node = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: dataDir,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(jumpingClock)}`,
  });
}, 120_000);
afterAll(async () => {
  node.process.kill("SIGKILL");
  await node.ended;
  await database.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it("a clock jump: changes no duration, call time or charge", { tags: "nightly" }, async () => {
  await node.api("POST", "/channel", {
    type: 900,
    name: "demo",
    key: "",
    base_url: "",
    models: ["demo-chat"],
    groups: ["default"],
  });
  const { key } = await node.api<{ key: string }>("POST", "/token", { name: "t", unlimited_quota: true });
  const call = async (stream: boolean) => {
    const response = await fetch(`${node.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "demo-chat",
        stream,
        messages: [{ role: "user", content: "[[delay=300]] [[length=20]] [[chunk-delay=20]] Hello" }],
      }),
    });
    return [response.status, (await response.text()).length > 0];
  };
  const served: unknown[] = [await call(true)];
  for (const jump of jumps) {
    // The clock jumps during these calls, and more calls follow.
    const underway = [call(true), call(false)];
    node.process.kill("SIGUSR2");
    await expect
      .poll(() => node.log.some((line) => line.endsWith(`the clock jumped by ${jump}`)), { timeout: 20_000 })
      .toBe(true);
    served.push(...(await Promise.all(underway)), await call(true), await call(false));
  }
  expect(served).toEqual(Array.from({ length: 13 }, () => [200, true]));
  const { rows } = await database.pool.query<Record<string, bigint>>(`
    SELECT count(*) AS calls,
      count(*) FILTER (WHERE created_at NOT BETWEEN now() - interval '5 minutes' AND now() + interval '5 seconds') AS elsewhere,
      count(*) FILTER (WHERE request_time NOT BETWEEN 200 AND 240000) AS wrong,
      (SELECT count(*) FROM request_logs_default) AS misplaced,
      (SELECT count(*) FROM usage_hours WHERE hour > now() OR hour < now() - interval '2 hours') AS hours
    FROM request_logs WHERE type = 2`);
  expect(rows).toEqual([{ calls: 13n, elsewhere: 0n, wrong: 0n, misplaced: 0n, hours: 0n }]);
  expect((await audit(database.pool)).drift).toBe(0n);
});
