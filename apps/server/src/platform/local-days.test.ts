import { describe, expect, it, vi } from "vitest";
import { localDate, localDays, startOfDay } from "#platform/local-days.ts";

describe("local days", () => {
  it("begin at local midnight", () => {
    expect(startOfDay("2026-11-21", "UTC").toISOString()).toBe("2026-11-21T00:00:00.000Z");
    expect(startOfDay("2026-11-21", "Asia/Shanghai").toISOString()).toBe("2026-11-20T16:00:00.000Z");
    expect(startOfDay("2026-11-21", "Asia/Kolkata").toISOString()).toBe("2026-11-20T18:30:00.000Z");
    expect(localDate(new Date("2026-11-20T16:00:00Z"), "Asia/Shanghai")).toBe("2026-11-21");
  });

  it("have 23 or 25 hours when clocks change", () => {
    const days = localDays(
      new Date("2026-03-28T12:00:00Z"),
      new Date("2026-03-30T12:00:00Z"),
      "Europe/Berlin",
    );
    expect(days.map((day) => [day.date, day.start.toISOString()])).toEqual([
      ["2026-03-28", "2026-03-27T23:00:00.000Z"],
      ["2026-03-29", "2026-03-28T23:00:00.000Z"],
      ["2026-03-30", "2026-03-29T22:00:00.000Z"],
    ]);
    const autumn = localDays(
      new Date("2026-10-24T23:00:00Z"),
      new Date("2026-10-26T00:00:00Z"),
      "Europe/Berlin",
    );
    expect(autumn.map((day) => day.start.toISOString())).toEqual([
      "2026-10-24T22:00:00.000Z",
      "2026-10-25T23:00:00.000Z",
    ]);
  });

  it("begin with their first instant where clocks change at midnight", () => {
    expect(startOfDay("2025-09-07", "America/Santiago").toISOString()).toBe("2025-09-07T04:00:00.000Z");
    expect(startOfDay("2025-04-06", "America/Santiago").toISOString()).toBe("2025-04-06T04:00:00.000Z");
    expect(startOfDay("2025-04-25", "Africa/Cairo").toISOString()).toBe("2025-04-24T22:00:00.000Z");
    expect(startOfDay("2025-03-09", "America/Havana").toISOString()).toBe("2025-03-09T05:00:00.000Z");
    expect(startOfDay("2025-11-02", "America/Havana").toISOString()).toBe("2025-11-02T04:00:00.000Z");
  });

  it("end where the next day begins", () => {
    const dates = (from: string, to: string) =>
      localDays(new Date(from), new Date(to), "UTC").map((day) => day.date);
    expect(dates("2026-02-27T00:00:00Z", "2026-03-01T00:00:00Z")).toEqual(["2026-02-27", "2026-02-28"]);
    expect(dates("2026-02-28T23:59:59Z", "2026-03-01T00:00:01Z")).toEqual(["2026-02-28", "2026-03-01"]);
  });

  it("keep no more than a thousand spellings of time zones in memory", () => {
    const created = vi.spyOn(Intl, "DateTimeFormat");
    const spellings = Array.from({ length: 4_000 }, (_, number) =>
      "america/argentina/buenos_aires".replaceAll(/./g, (letter, at: number) =>
        ((number >> at) & 1) === 1 ? letter.toUpperCase() : letter,
      ),
    );
    for (const zone of new Set(spellings)) localDate(new Date(0), zone);
    const before = created.mock.calls.length;
    localDate(new Date(0), spellings[0] ?? "");
    expect(created.mock.calls.length).toBe(before + 1);
    created.mockRestore();
  });
});
