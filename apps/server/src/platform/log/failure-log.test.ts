import { describe, expect, it } from "vitest";
import { databaseAway } from "#errors.ts";
import { createFailureLog } from "./failure-log.ts";

const refused = (message = "connect ECONNREFUSED 10.0.0.1:5432") =>
  Object.assign(new Error(message), { code: "ECONNREFUSED" });

function open(times?: { askMs?: number; afterMs?: number }) {
  const lines: string[] = [];
  let isAway = false;
  let requested = 0;
  const failures = createFailureLog(
    {
      error: (fields: object | string, message?: string) =>
        lines.push(typeof fields === "string" ? fields : (message ?? "")),
      warn: (message: string) => lines.push(message),
    },
    { askMs: 1, ...times },
  );
  failures.watchDatabase(async () => {
    requested += 1;
    if (isAway) throw refused();
  });
  return { failures, lines, setAway: (away: boolean) => (isAway = away), requested: () => requested };
}

describe("the log of failures", () => {
  it("has one line for an outage of the database and one for its end, whatever fails in between", async () => {
    const { failures, lines, setAway, requested } = open();
    setAway(true);
    for (let count = 0; count < 64; count += 1) failures.report(refused());
    await expect.poll(() => lines.length).toBe(1);
    for (let count = 0; count < 64; count += 1) failures.report(databaseAway(refused()));
    failures.report(new Error("The connection that listens for changes was closed."), "database");
    const before = requested();
    await expect.poll(requested).toBeGreaterThan(before);
    setAway(false);
    await expect.poll(() => lines.length).toBe(2);
    failures.report(refused());
    expect(lines[0]).toMatch(/^The database is away since 20\S+Z: connect ECONNREFUSED 10\.0\.0\.1:5432$/);
    expect(lines[1]).toBe("The database is back after 0 s. 129 failures in between were not logged.");
    expect(lines).toHaveLength(2);
  });

  it("has every failure of a database that answers, and everything that is not about it", async () => {
    const { failures, lines, setAway } = open();
    failures.report(refused());
    failures.report(refused());
    const line = "a statement failed, but the database responds";
    await expect.poll(() => lines).toEqual([line, line]);
    setAway(true);
    failures.report(refused());
    await expect.poll(() => lines).toHaveLength(3);
    failures.report(new TypeError("a defect"));
    expect(lines.at(-1)).toBe("background work failed");
    failures.close();
  });

  it("has a second outage, once the connections that the first one broke had time to be noticed", async () => {
    const { failures, lines, setAway } = open({ afterMs: 0 });
    for (const expected of [2, 4]) {
      setAway(true);
      failures.report(refused());
      await expect.poll(() => lines).toHaveLength(expected - 1);
      setAway(false);
      await expect.poll(() => lines).toHaveLength(expected);
    }
  });

  it("has one line for an outage of Redis and one for its end", () => {
    const { failures, lines } = open();
    failures.redis.back();
    const refusedConnections = new AggregateError([refused("connect ECONNREFUSED ::1:6379")], "");
    for (let count = 0; count < 20; count += 1) failures.redis.away(refusedConnections);
    failures.redis.back();
    expect(lines).toEqual([
      expect.stringMatching(/^Redis is away since \S+: connect ECONNREFUSED ::1:6379$/),
      "Redis is back after 0 s. 20 failures in between were not logged.",
    ]);
  });
});
