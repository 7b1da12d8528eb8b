import { afterEach, expect, it, vi } from "vitest";
import { createDrains } from "./drains.ts";

const limits = { calls: 4, callsOfOneUser: 2, bytes: 100, bytesOfAll: 250 };

afterEach(() => void vi.useRealTimers());

/** Creates drains, and records the names of cancelled ones in order. */
function started(seconds = 5) {
  const cancelled: string[] = [];
  const drains = createDrains(() => seconds, limits);
  const begin = (userId: number, name: string) => drains.begin(userId, () => void cancelled.push(name));
  return { drains, cancelled, begin };
}

it("drains: one drain too many for an account ends that account's oldest", () => {
  const { drains, cancelled, begin } = started();
  begin(1, "a");
  begin(2, "b");
  begin(1, "c");
  expect(begin(1, "d")).toBeDefined();
  expect(cancelled).toEqual(["a"]);
  expect(drains.active).toBe(3);
});

it("drains: one drain too many for the process ends the oldest of all", () => {
  const { drains, cancelled, begin } = started();
  for (const user of [1, 2, 3, 4, 5]) begin(user, `user ${user}`);
  expect(cancelled).toEqual(["user 1"]);
  expect(drains.active).toBe(4);
});

it("drains: limits the bytes of one response and of all together", () => {
  const { drains, cancelled, begin } = started();
  begin(1, "long")?.received(101);
  expect(cancelled).toEqual(["long"]);
  for (const user of [1, 2, 3]) begin(user, `user ${user}`)?.received(80);
  expect(cancelled).toEqual(["long"]);
  begin(4, "user 4")?.received(20);
  expect(cancelled).toEqual(["long", "user 1"]);
  expect(drains.active).toBe(3);
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

it("drains: closing cancels all, and none begins afterwards", () => {
  const { drains, cancelled, begin } = started();
  begin(1, "a");
  begin(2, "b");
  drains.close();
  expect(cancelled).toEqual(["a", "b"]);
  expect(begin(3, "c")).toBeUndefined();
  expect(drains.active).toBe(0);
});
