import { afterEach, expect, it, vi } from "vitest";
import { followClock, now } from "./clock.ts";

afterEach(() => {
  vi.restoreAllMocks();
  followClock(Date.now(), performance.now());
});

/** What the clock adds to the monotonic one; it does not change while the test waits for the processor. */
const origin = () => now() - performance.now();

it("the clock: goes on evenly when the machine's wall clock is set", () => {
  followClock(Date.now(), performance.now());
  const before = origin();
  vi.spyOn(Date, "now").mockReturnValue(now() + 10 * 86_400_000);
  expect(Math.abs(origin() - before)).toBeLessThan(50);
});

it("the clock: follows the database, but not the time that its answer took", () => {
  const requested = performance.now();
  const before = origin();
  followClock(now() + 3_600_000, requested);
  const steady = origin();
  expect(Math.abs(steady - before - 3_600_000)).toBeLessThan(1_000);
  followClock(now() + 100, performance.now());
  expect(Math.abs(origin() - steady)).toBeLessThan(50);
  // An answer that was under way for two seconds says too little.
  followClock(now() + 3_600_000, performance.now() - 2_000);
  expect(Math.abs(origin() - steady)).toBeLessThan(50);
});
