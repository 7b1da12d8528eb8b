import type { AttemptNote, LogRow } from "@gateway/shared/usage/log";
import { describe, expect, it } from "vitest";
import { layOutAttempts } from "./waterfall-bars.ts";

const row = (values: Partial<LogRow>) =>
  ({
    channel_id: 2,
    channel_name: "b",
    error_code: "",
    status: 200,
    request_time: 1_000,
    ...values,
  }) as LogRow;
const note = (values: Partial<AttemptNote>): AttemptNote => ({
  channel_id: 1,
  channel_name: "a",
  result: "server",
  status: 500,
  duration: 100,
  message: "",
  ...values,
});
const sizes = (...given: Parameters<typeof layOutAttempts>) =>
  layOutAttempts(...given).bars.map(({ from, waiting, streaming }) => [from, waiting, streaming]);

describe("the bars of a call", () => {
  it("start where the attempts began, and a stream follows its first byte", () => {
    const attempts = [note({ begun: 5 }), note({ result: "ok", begun: 110, duration: 90 })];
    expect(sizes(row({ is_stream: true }), attempts)).toEqual([
      [5, 100, 0],
      [110, 90, 800],
    ]);
  });

  it("follow each other when a row contains no start times, and the response is added", () => {
    expect(sizes(row({}), [note({})])).toEqual([
      [0, 100, 0],
      [100, 900, 0],
    ]);
  });

  it("are as long as the longest, even when a clock was wrong", () => {
    expect(layOutAttempts(row({ request_time: 0, error_code: "x" }), [note({ duration: 40 })]).total).toBe(
      40,
    );
    expect(layOutAttempts(row({ channel_id: 0, request_time: 7 }), [])).toEqual({ bars: [], total: 7 });
  });
});
