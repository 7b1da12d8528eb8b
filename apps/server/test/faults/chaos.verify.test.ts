import { describe, expect, it } from "vitest";
import { bundledMain } from "#test/gateway-process.ts";
import { runChaos } from "../../bench/chaos/run.ts";

/** A short version of `pnpm chaos`. */
describe("three gateways on one Postgres and one Redis", () => {
  it("charge each completed call exactly once, and nothing else, whatever process is killed", async () => {
    const { complete, wrong, strikes } = await runChaos({
      rounds: 9,
      clients: 12,
      pauseMs: 300,
      main: bundledMain,
    });
    expect(wrong).toEqual([]);
    expect(complete).toBeGreaterThan(50);
    expect(Object.keys(strikes)).toHaveLength(9);
  }, 480_000);
});
