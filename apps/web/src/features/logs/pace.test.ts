import type { LogRow } from "@gateway/shared/usage/log";
import { expect, it } from "vitest";
import { rateDuration, rateThroughput, tokensPerSecond } from "./pace.ts";

const row = (more: Partial<LogRow>) =>
  ({ is_stream: true, request_time: 3000, first_byte_time: 1000, completion_tokens: 50, ...more }) as LogRow;

it("rates ten seconds as fast and two minutes as very slow", () => {
  expect([10_000, 50_000, 100_000, 120_000].map((ms) => rateDuration(ms).text)).toEqual([
    "Fast",
    "Fair",
    "Slow",
    "Very slow",
  ]);
});

it("rates more than twenty tokens per second as fast and ten as very slow", () => {
  expect([21, 20, 15, 10].map((speed) => rateThroughput(speed).text)).toEqual([
    "Fast",
    "Fair",
    "Slow",
    "Very slow",
  ]);
});

it("measures the speed after the first byte, for streams that were long enough", () => {
  expect(tokensPerSecond(row({}))).toBe(25);
  expect(tokensPerSecond(row({ is_stream: false }))).toBeNull();
  expect(tokensPerSecond(row({ request_time: 1010 }))).toBeNull();
  expect(tokensPerSecond(row({ completion_tokens: 0 }))).toBeNull();
});
