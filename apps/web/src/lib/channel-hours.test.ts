import type { HourlyAttempts } from "@gateway/shared/usage/channel-health";
import { expect, it } from "vitest";
import { healthOf, hourOf, liveStateOf } from "./channel-hours.ts";

const zeros = () => Array.from({ length: 24 }, () => 0);
const last = (value: number) => [...zeros().slice(1), value];
const idle: HourlyAttempts = { requests: zeros(), failed: zeros(), rescued: zeros() };

it("counts an attempt that another channel had to serve as a failure", () => {
  const failing = { requests: last(6), failed: last(1), rescued: last(4) };
  expect(healthOf(failing)).toEqual({ calls: 10, failed: 5, success: 0.5 });
  expect(hourOf(failing, 23)).toEqual({ calls: 10, failed: 5 });
  expect(hourOf(failing, 22)).toEqual({ calls: 0, failed: 0 });
  expect(healthOf(idle).success).toBeNull();
});

it("calls a channel failing when five attempts and a fifth of all failed in the current and the previous hour", () => {
  const hours = (requests: number, failed: number) => ({
    ...idle,
    requests: last(requests),
    failed: last(failed),
  });
  expect(liveStateOf(idle)).toBe("no-calls");
  expect(liveStateOf(hours(2, 2))).toBe("some-errors");
  expect(liveStateOf(hours(25, 5))).toBe("failing");
  expect(liveStateOf(hours(26, 5))).toBe("some-errors");
  expect(liveStateOf(hours(200, 1))).toBe("healthy");
  expect(liveStateOf({ ...idle, requests: last(6), rescued: last(5) })).toBe("failing");
  const earlier = [9, ...zeros().slice(1)];
  expect(liveStateOf({ ...idle, requests: earlier, failed: earlier })).toBe("some-errors");
});
