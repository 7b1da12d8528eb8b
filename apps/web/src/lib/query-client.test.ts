import { MutationObserver } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "./http.ts";
import { createQueryClient, deletion, type Failing, inForm } from "./query-client.ts";

const fieldError = new ApiError(400, {
  message: "name: It cannot be longer than 128 characters.",
  issues: { name: { reason: "at_most_128" } },
});
const refusal = new ApiError(409, { message: "Somebody uses it." });

/** Returns what is reported when a mutation with this meta fails. */
async function reported(error: Error, meta: Failing = {}): Promise<unknown[][]> {
  const reports: unknown[][] = [];
  const client = createQueryClient((...output) => reports.push(output));
  const mutation = new MutationObserver(client, { mutationFn: () => Promise.reject(error), meta });
  await expect(mutation.mutate()).rejects.toBe(error);
  return reports;
}

describe("a failed mutation", () => {
  it("is reported, with or without field errors", async () => {
    expect(await reported(refusal)).toEqual([[refusal, undefined]]);
    expect(await reported(fieldError)).toEqual([[fieldError, undefined]]);
    expect(await reported(fieldError, deletion)).toEqual([[fieldError, "Delete failed"]]);
  });

  it("is left to its form when it has field errors", async () => {
    expect(await reported(fieldError, inForm)).toEqual([]);
    expect(await reported(refusal, inForm)).toEqual([[refusal, undefined]]);
  });

  it("is left to a screen that shows errors itself", async () => {
    expect(await reported(refusal, { quiet: true })).toEqual([]);
  });
});

describe("a failed query", () => {
  /** Returns how often a query is sent that always fails with this error. */
  async function attempts(error: Error): Promise<number> {
    vi.useFakeTimers();
    const queryFn = vi.fn(() => Promise.reject(error));
    const failure = expect(
      createQueryClient(() => {}).fetchQuery({ queryKey: ["once"], queryFn }),
    ).rejects.toBe(error);
    await vi.runAllTimersAsync();
    await failure;
    vi.useRealTimers();
    return queryFn.mock.calls.length;
  }

  it("is repeated once if the connection or the server is briefly missing", async () => {
    expect(await attempts(new TypeError("Failed to fetch"))).toBe(2);
    expect(await attempts(new ApiError(502, {}))).toBe(2);
  });

  it("is not repeated after a rejection or a server error", async () => {
    expect(await attempts(refusal)).toBe(1);
    expect(await attempts(new ApiError(429, {}))).toBe(1);
    expect(await attempts(new ApiError(500, { message: "It broke." }))).toBe(1);
  });
});
