import { expect, it } from "vitest";
import { type ChannelHours, healthOf, hourOf } from "./channel-hours.ts";

const zeros = () => Array.from({ length: 24 }, () => 0);
const last = (value: number) => [...zeros().slice(1), value];
const idle: ChannelHours = { requests: zeros(), failed: zeros(), rescued: zeros() };

it("counts an attempt that another channel had to serve as a failure", () => {
  const failing = { requests: last(6), failed: last(1), rescued: last(4) };
  expect(healthOf(failing)).toEqual({ calls: 10, failed: 5, success: 0.5 });
  expect(hourOf(failing, 23)).toEqual({ calls: 10, failed: 5 });
  expect(hourOf(failing, 22)).toEqual({ calls: 0, failed: 0 });
  expect(healthOf(idle).success).toBeNull();
});
