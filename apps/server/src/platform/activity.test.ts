import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createActivity, startPeriodicTask } from "./activity.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("createActivity", () => {
  it("a node without requests rests, and the next request ends the rest", () => {
    const activity = createActivity(1_000);
    const woken = vi.fn();
    activity.onWake(woken);
    activity.touch();
    vi.advanceTimersByTime(1_999);
    expect(activity.isResting).toBe(false);
    vi.advanceTimersByTime(1);
    expect(activity.isResting).toBe(true);
    activity.touch();
    expect(activity.isResting).toBe(false);
    expect(woken).toHaveBeenCalledTimes(1);
    activity.close();
  });

  it("a node with an open stream does not rest", () => {
    const activity = createActivity(1_000);
    let isOpen = true;
    activity.staysAwakeWhile(() => isOpen);
    vi.advanceTimersByTime(10_000);
    expect(activity.isResting).toBe(false);
    isOpen = false;
    vi.advanceTimersByTime(1_000);
    expect(activity.isResting).toBe(true);
  });

  it("a resting node has no timer", () => {
    createActivity(1_000);
    vi.advanceTimersByTime(2_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("an infinite time means that the node never rests", () => {
    expect(vi.getTimerCount()).toBe(0);
    createActivity(Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("startPeriodicTask", () => {
  it("a task runs rarely while the node rests, and at once when the rest ends", async () => {
    const activity = createActivity(1_000);
    const run = vi.fn(() => Promise.resolve());
    const task = startPeriodicTask(activity, { everyMs: 100, restingMs: 60_000 }, run);
    await vi.advanceTimersByTimeAsync(350);
    expect(run).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(activity.isResting).toBe(true);
    const before = run.mock.calls.length;
    await vi.advanceTimersByTimeAsync(59_000);
    expect(run.mock.calls.length - before).toBeLessThanOrEqual(1);
    const resting = run.mock.calls.length;
    activity.touch();
    expect(run).toHaveBeenCalledTimes(resting + 1);
    await vi.advanceTimersByTimeAsync(100);
    expect(run).toHaveBeenCalledTimes(resting + 2);
    await task.close();
    expect(run).toHaveBeenCalledTimes(resting + 2);
    activity.close();
  });

  it("a slow run is not started a second time", async () => {
    let end = () => {};
    const run = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
    const task = startPeriodicTask(createActivity(), { everyMs: 100 }, run);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(run).toHaveBeenCalledTimes(1);
    end();
    await vi.advanceTimersByTimeAsync(100);
    expect(run).toHaveBeenCalledTimes(2);
    end();
    await task.close();
  });
});
