import { setTimeout } from "node:timers/promises";
import { afterAll, expect } from "vitest";

const WINDOW_MS = 50;
const PATIENCE_MS = 10_000;

/**
 * Set-up of every test file: fails a file whose work goes on after it, such as a server that writes to a client that
 * is gone. A worker runs file after file, so it would slow down all later ones.
 */
afterAll(async () => {
  const begun = performance.now();
  let utilization = 1;
  while (performance.now() - begun < PATIENCE_MS) {
    const before = performance.eventLoopUtilization();
    await setTimeout(WINDOW_MS);
    ({ utilization } = performance.eventLoopUtilization(before));
    if (utilization < 0.5) return;
  }
  expect.fail(`${Math.round(utilization * 100)} % of the worker is busy after the last test of the file.`);
});
