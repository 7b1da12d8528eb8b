import { afterEach, expect, it, vi } from "vitest";
import { createDrains, type Drains } from "./drains.ts";

const limits = { calls: 4, callsOfOneUser: 2, bytes: 100 };

afterEach(() => void vi.useRealTimers());

/** Creates drains, and records the names of cancelled ones in order. */
function started(seconds = 5) {
  const cancelled: string[] = [];
  const drains = createDrains(() => seconds, limits);
  const begin = (userId: number, name: string) => drains.begin(userId, () => void cancelled.push(name));
  return { drains, cancelled, begin, mayCall: mayCallOf(drains) };
}

const mayCallOf = (drains: Drains) => (userId: number) => {
  try {
    drains.requireFew(userId);
    return true;
  } catch {
    return false;
  }
};

it("drains: an account with too many makes no new calls, and none of them is cancelled", () => {
  const { drains, cancelled, begin, mayCall } = started();
  begin(1, "a");
  expect(mayCall(1)).toBe(true);
  const second = begin(1, "b");
  expect(() => drains.requireFew(1)).toThrow(
    expect.objectContaining({ code: "rate_limit_exceeded", status: 429, retryAfter: 5 }),
  );
  expect(mayCall(2)).toBe(true);
  // Calls that were in progress before may still leave.
  begin(1, "c");
  expect(cancelled).toEqual([]);
  expect(drains.active).toBe(3);
  second?.end();
  expect(mayCall(1)).toBe(false);
});

it("drains: too many in the process refuse new calls of the accounts with the most", () => {
  const { cancelled, begin, mayCall } = started();
  for (const user of [1, 1, 2, 3]) begin(user, `user ${user}`);
  expect([1, 2, 3, 4].map(mayCall)).toEqual([false, false, false, true]);
  expect(cancelled).toEqual([]);
});

it("drains: limits the bytes of one response", () => {
  const { drains, cancelled, begin } = started();
  begin(1, "long")?.received(101);
  begin(1, "short")?.received(80);
  expect(cancelled).toEqual(["long"]);
  expect(drains.active).toBe(1);
});

it("drains: a response whose cost its text does not show is read to its end", () => {
  vi.useFakeTimers();
  const { drains, cancelled } = started();
  drains.begin(1, () => void cancelled.push("whole"), "end");
  vi.advanceTimersByTime(600_000);
  expect(cancelled).toEqual([]);
  vi.advanceTimersByTime(3_000_000);
  expect(cancelled).toEqual(["whole"]);
});

it("drains: each ends after its time limit, and none begins when the limit is 0", () => {
  vi.useFakeTimers();
  const { drains, cancelled, begin } = started();
  begin(1, "slow");
  const quick = begin(1, "quick");
  quick?.end();
  vi.advanceTimersByTime(5_000);
  expect(cancelled).toEqual(["slow"]);
  expect(drains.active).toBe(0);
  expect(started(0).begin(1, "never")).toBeUndefined();
});

it("drains: without a time limit, only what its provider continues anyway is read", () => {
  vi.useFakeTimers();
  const { drains, cancelled } = started(0);
  expect(drains.begin(1, () => {}, "end")).toBeUndefined();
  drains.begin(1, () => void cancelled.push("task"), "always");
  vi.advanceTimersByTime(600_000);
  expect(cancelled).toEqual([]);
});

it("drains: closing cancels all, and none begins afterwards", () => {
  const { drains, cancelled, begin } = started();
  begin(1, "a");
  begin(2, "b");
  drains.close();
  expect(cancelled).toEqual(["a", "b"]);
  expect(begin(3, "c")).toBeUndefined();
  expect(drains.active).toBe(0);
});
