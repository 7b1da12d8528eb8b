import { describe, expect, it } from "vitest";
import { type Length, lengths, piecesOf } from "./pieces.ts";

const many = (from: string, to: string, cuts: string[] = []) => {
  const pieces = piecesOf(
    { from: new Date(from), to: new Date(to) },
    cuts.map((cut) => new Date(cut)),
  );
  let at = Date.parse(from);
  for (const piece of pieces) {
    expect(piece.starts.getTime()).toBe(at);
    at += lengths[piece.length];
  }
  if (pieces.length > 0) expect(at).toBe(Date.parse(to));
  const count = (length: Length) => pieces.filter((piece) => piece.length === length).length;
  return { weeks: count("week"), days: count("day"), parts: count("part"), hours: count("hour") };
};

describe("pieces of a span", () => {
  it("are whole days, with shorter pieces at both ends", () => {
    expect(many("2026-03-01T00:00Z", "2026-03-11T00:00Z")).toEqual({
      weeks: 0,
      days: 10,
      parts: 0,
      hours: 0,
    });
    // Weeks begin on Thursday, because 1970 did.
    expect(many("2026-03-05T00:00Z", "2026-03-27T00:00Z")).toMatchObject({ weeks: 3, days: 1 });
    expect(many("2026-03-01T15:00Z", "2026-03-03T09:00Z")).toMatchObject({ days: 1, parts: 4, hours: 2 });
    expect(many("2026-03-01T05:00Z", "2026-03-01T07:00Z")).toMatchObject({ days: 0, parts: 0, hours: 2 });
  });

  it("do not cross a cut, except for an hour", () => {
    // Midnights in Shanghai, Tokyo and Kolkata.
    const week = (time: string) => Array.from({ length: 6 }, (_, day) => `2026-03-0${day + 2}T${time}Z`);
    expect(many("2026-03-01T16:00Z", "2026-03-08T16:00Z", week("16:00"))).toMatchObject({
      days: 0,
      parts: 42,
      hours: 0,
    });
    expect(many("2026-03-01T15:00Z", "2026-03-08T15:00Z", week("15:00"))).toMatchObject({
      days: 0,
      parts: 35,
      hours: 28,
    });
    expect(many("2026-03-01T18:00Z", "2026-03-08T18:00Z", week("18:30"))).toMatchObject({
      parts: 35,
      hours: 28,
    });
    expect(many("2026-03-02T00:00Z", "2026-03-04T00:00Z", ["2026-03-03T00:00Z"])).toMatchObject({ days: 2 });
  });

  it("are empty when the span ends before it begins", () => {
    expect(many("2026-03-02T00:00Z", "2026-03-01T00:00Z")).toEqual({ weeks: 0, days: 0, parts: 0, hours: 0 });
  });
});
