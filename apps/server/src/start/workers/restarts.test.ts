import { describe, expect, it } from "vitest";
import { createRestarts } from "./restarts.ts";

describe("createRestarts", () => {
  it("pauses longer each time, and resets after a steady run", () => {
    let time = 0;
    const restarts = createRestarts(() => time);
    const pauses: (number | "give-up")[] = [];
    for (let round = 0; round < 8; round += 1) {
      time += 15_000;
      pauses.push(restarts.next(0, 1_000, true));
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    expect(restarts.next(0, 60_000, true)).toBe(250);
  });

  it("gives up when no worker serves and each ends at once", () => {
    const restarts = createRestarts(() => 0);
    const tries = Array.from({ length: 5 }, () => restarts.next(1, 10, false));
    expect(tries).toEqual([250, 500, 1_000, 2_000, "give-up"]);
  });

  it("gives up on a worker that ends ten times within a minute although others serve, but not on slower ones", () => {
    let time = 0;
    const restarts = createRestarts(() => time);
    const tries = Array.from({ length: 10 }, () => {
      time += 5_000;
      return restarts.next(0, 100, true);
    });
    expect(tries.indexOf("give-up")).toBe(9);
    for (let round = 0; round < 30; round += 1) {
      time += 7_000;
      expect(restarts.next(1, 100, true)).not.toBe("give-up");
    }
  });
});
