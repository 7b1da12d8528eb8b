import { afterEach, expect, it, vi } from "vitest";
import { followClock, now } from "./clock.ts";

afterEach(() => {
  vi.restoreAllMocks();
  followClock(Date.now(), performance.now());
});

it("the clock: goes on evenly when the machine's wall clock is set", () => {
  followClock(Date.now(), performance.now());
  const before = now();
  vi.spyOn(Date, "now").mockReturnValue(before + 10 * 86_400_000);
  expect(now() - before).toBeLessThan(1_000);
});

it("the clock: follows the database, but not the time that its answer took", () => {
  const requested = performance.now();
  const ahead = Date.now() + 3_600_000;
  followClock(ahead, requested);
  expect(Math.abs(now() - ahead)).toBeLessThan(1_000);
  const steady = now();
  followClock(ahead + 100, performance.now());
  expect(now() - steady).toBeLessThan(90);
  // An answer that was under way for two seconds says too little.
  followClock(ahead + 3_600_000, performance.now() - 2_000);
  expect(now() - steady).toBeLessThan(1_000);
});
