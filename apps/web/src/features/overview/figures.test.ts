import type { ChannelHealth } from "@gateway/shared/usage/overview";
import { describe, expect, it } from "vitest";
import { changeOf, errorRate, healthOf, hourOf } from "./figures.ts";

const zeros = () => Array.from({ length: 24 }, () => 0);
const last = (value: number) => [...zeros().slice(1), value];

const channel = (values: Partial<ChannelHealth>): ChannelHealth => ({
  id: 1,
  name: "one",
  type: 1,
  status: 1,
  status_reason: "",
  requests: zeros(),
  failed: zeros(),
  rescued: zeros(),
  charged: 0,
  p50: null,
  p95: null,
  ...values,
});

describe("figures of the overview", () => {
  it("compare with before, unless there was nothing", () => {
    expect(changeOf({ now: 15, before: 10 })).toBe(0.5);
    expect(changeOf({ now: 15, before: 0 })).toBeNull();
  });

  it("have an error rate only where there were calls", () => {
    const rate = errorRate({ requests: { now: 200, before: 0 }, failed: { now: 3, before: 0 } });
    expect(rate).toEqual({ now: 0.015, before: null });
  });

  it("count an attempt that another channel had to serve as a failure", () => {
    const failing = channel({ requests: last(6), failed: last(1), rescued: last(4) });
    expect(healthOf(failing)).toEqual({ calls: 10, failed: 5, success: 0.5 });
    expect(hourOf(failing, 23)).toEqual({ calls: 10, failed: 5 });
    expect(hourOf(failing, 22)).toEqual({ calls: 0, failed: 0 });
    expect(healthOf(channel({})).success).toBeNull();
  });
});
