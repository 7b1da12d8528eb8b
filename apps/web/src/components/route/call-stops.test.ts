import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { describe, expect, it } from "vitest";
import { translateWith } from "#lib/translate.fixture.ts";
import { MOST_STOPS, stopsOfCall } from "./call-stops.ts";

const english = translateWith((text) => text);
const row = (values: Partial<LogRow> = {}) =>
  ({
    channel_id: 2,
    channel_name: "B",
    error_code: "",
    status: 200,
    request_time: 1_000,
    paused: null,
    skipped: null,
    ...values,
  }) as LogRow;
const note = (values: Partial<AttemptNote> = {}): AttemptNote => ({
  channel_id: 1,
  channel_name: "A",
  result: "overloaded",
  status: 529,
  duration: 180,
  message: "",
  ...values,
});
const ok = note({ channel_id: 2, channel_name: "B", result: "ok", status: 200, duration: 820 });
const stops = (...given: [LogRow, AttemptNote[]]) => stopsOfCall(english, ...given);

describe("the stops of a call", () => {
  it("are its attempts in their order, with result, status and duration", () => {
    expect(stops(row(), [note(), ok]).map(({ name, note: text, state }) => [name, text, state])).toEqual([
      ["A", "Overloaded · HTTP 529 · 180 ms", "failed"],
      ["B", "Succeeded · 820 ms", "answered"],
    ]);
  });

  it("include the answer of a call that stores no attempts", () => {
    expect(stops(row(), []).map(({ name, state }) => [name, state])).toEqual([["B", "answered"]]);
  });

  it("name channels that were paused or not used after the attempts", () => {
    const skipped = [{ channel_id: 3, channel_name: "C", skipped: "busy" as const, priority: 0 }];
    const failed = row({ error_code: "overloaded", channel_id: 0, skipped });
    expect(stops(failed, [note()]).map(({ name, state }) => [name, state])).toEqual([
      ["A", "failed"],
      ["C", "unused"],
    ]);
  });

  it("keep the answer of a call with more attempts than the picture shows", () => {
    const all = stops(row(), [...Array.from({ length: 9 }, () => note()), ok]);
    expect(all).toHaveLength(MOST_STOPS);
    expect(all.at(-1)?.state).toBe("answered");
  });
});
