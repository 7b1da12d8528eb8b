import { expect, it } from "vitest";
import type { UpstreamError } from "#dialects/ir.ts";
import { mayRetry } from "./retry.ts";

const budget = { times: 3, withinMs: 1_000 };
const failed: UpstreamError = { kind: "network", message: "The connection failed.", status: 0 };

it("retry: retries a failure within its budget", () => {
  expect(mayRetry(failed, 1, 0, budget)).toBe(true);
  expect(mayRetry(failed, 4, 0, budget)).toBe(false);
  expect(mayRetry(failed, 1, 1_000, budget)).toBe(false);
});

it("retry: does not retry a response that exceeded a limit of its request", () => {
  expect(mayRetry({ ...failed, tooLong: true }, 1, 0, budget)).toBe(false);
});
