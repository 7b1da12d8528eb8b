import { expect, test } from "vitest";
import { abortSignalOf, createCancellation } from "./cancellation.ts";

test("cancellation: calls each listener once, in order, and skips removed ones", () => {
  const cancellation = createCancellation();
  const calls: string[] = [];
  const removed = () => calls.push("removed");
  const twice = () => calls.push("first");
  cancellation.addEventListener("abort", twice, { once: true });
  cancellation.addEventListener("abort", twice, { once: true });
  cancellation.addEventListener("abort", removed);
  cancellation.addEventListener("abort", () => calls.push("last"));
  cancellation.removeEventListener("abort", removed);
  expect(cancellation.aborted).toBe(false);
  cancellation.cancel();
  cancellation.cancel();
  expect(cancellation.aborted).toBe(true);
  expect(calls).toEqual(["first", "last"]);
});

test("cancellation: aborts the derived AbortSignal when it is cancelled, or at once if it already was", () => {
  const cancellation = createCancellation();
  const signal = abortSignalOf(cancellation);
  expect(signal.aborted).toBe(false);
  cancellation.cancel();
  expect(signal.aborted).toBe(true);
  expect(abortSignalOf(cancellation).aborted).toBe(true);
  expect(abortSignalOf(signal)).toBe(signal);
});
