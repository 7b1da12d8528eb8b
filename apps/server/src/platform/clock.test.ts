import { afterEach, expect, it, vi } from "vitest";
import { followClock, now } from "./clock.ts";

afterEach(() => {
  vi.restoreAllMocks();
  followClock(Date.now(), performance.now());
});

/** Offset between the clock and the monotonic clock. It stays constant while the test waits for the CPU. */
const origin = () => now() - performance.now();

it("the clock: advances evenly when the machine's wall clock is changed", () => {
  followClock(Date.now(), performance.now());
  const before = origin();
  vi.spyOn(Date, "now").mockReturnValue(now() + 10 * 86_400_000);
  expect(Math.abs(origin() - before)).toBeLessThan(50);
});

it("the clock: follows the database, but not the latency of its response", () => {
  const requested = performance.now();
  const before = origin();
  followClock(now() + 3_600_000, requested);
  const steady = origin();
  expect(Math.abs(steady - before - 3_600_000)).toBeLessThan(1_000);
  followClock(now() + 100, performance.now());
  expect(Math.abs(origin() - steady)).toBeLessThan(50);
  // The database answered at the end or at the beginning of a slow round trip: the clock must not step back.
  followClock(now(), performance.now() - 900);
  expect(Math.abs(origin() - steady)).toBeLessThan(50);
  followClock(now() - 900, performance.now() - 900);
  expect(Math.abs(origin() - steady)).toBeLessThan(50);
  // A response that took two seconds is too imprecise.
  followClock(now() + 3_600_000, performance.now() - 2_000);
  expect(Math.abs(origin() - steady)).toBeLessThan(50);
});
