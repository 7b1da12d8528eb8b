import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createReadiness } from "./readiness.ts";

const well = { ping: async () => {}, trouble: () => undefined, stale: () => [], problems: () => [] };

afterEach(() => void vi.useRealTimers());

describe("readiness", () => {
  it("tolerates a failure for a while, then reports why, and recovers with the first response", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    let away = true;
    const readiness = createReadiness({
      ...well,
      ping: async () => {
        if (away) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      },
      notReadyAfterMs: 200,
    });
    expect(await readiness.check()).toEqual({ stale: [], problems: [] });
    vi.advanceTimersByTime(250);
    await expect(readiness.check()).rejects.toMatchObject({ code: "unavailable", retryAfter: 1 });
    away = false;
    expect(await readiness.check()).toEqual({ stale: [], problems: [] });
  });

  it("is lost while a batch waits too long, though other connections respond", async () => {
    let batchMs = 7_000;
    const trouble = () => ({ failingMs: 0, batchMs, error: undefined });
    const readiness = createReadiness({ ...well, trouble });
    expect(await readiness.check()).toEqual({ stale: [], problems: [] });
    batchMs = 9_000;
    await expect(readiness.check()).rejects.toThrow("oldest batch");
  });

  it("names a full disk as the reason", async () => {
    const error = Object.assign(new Error("could not extend file"), { code: "53100" });
    const trouble = () => ({ failingMs: 6_000, batchMs: 0, error });
    await expect(createReadiness({ ...well, trouble }).check()).rejects.toThrow(
      /disk of its database is full/,
    );
  });

  it("ends at once when the node drains", async () => {
    const readiness = createReadiness(well);
    readiness.drain();
    await expect(readiness.check()).rejects.toMatchObject({ code: "shutting_down", status: 503 });
  });

  it("names topics that could not be loaded for more than a moment", async () => {
    const stale = () => [
      { topic: "prices", forMs: 3_000 },
      { topic: "users", forMs: 100 },
    ];
    expect(await createReadiness({ ...well, stale }).check()).toEqual({ stale: ["prices"], problems: [] });
  });

  it("answers within a second while the database is silent, and asks it once for all probes", async () => {
    let requested = 0;
    const silent = createReadiness({ ...well, ping: () => new Promise(() => void (requested += 1)) });
    // A timer of the same process: a busy machine delays both.
    const second = sleep(1_000).then(() => "late");
    const probes = Promise.all(Array.from({ length: 20 }, () => silent.check()));
    expect(await Promise.race([second, probes.then(() => "in time")])).toBe("in time");
    expect(requested).toBe(1);
  });

  it("names what does not work although calls are served", async () => {
    const readiness = createReadiness({ ...well, problems: () => ["data_dir_unwritable"] });
    expect(await readiness.check()).toEqual({ stale: [], problems: ["data_dir_unwritable"] });
  });
});
