import { expect, it } from "vitest";
import type { UpstreamError } from "#dialects/ir.ts";
import { mayRetry } from "./retry.ts";

const limits = { RetryTimes: 3, RetryTimeOut: 1 };
const failed: UpstreamError = { kind: "network", message: "The connection failed.", status: 0 };

it("retry: retries a failure within its budget", () => {
  expect(mayRetry(limits, failed, 1, 0)).toBe(true);
  expect(mayRetry(limits, failed, 4, 0)).toBe(false);
  expect(mayRetry(limits, failed, 1, 1_000)).toBe(false);
});

it("retry: does not retry a response that exceeded a limit of its request", () => {
  expect(mayRetry(limits, { ...failed, tooLong: true }, 1, 0)).toBe(false);
});
