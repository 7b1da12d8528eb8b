import { expect, it } from "vitest";
import { advisoryLocks } from "./advisory-locks.ts";

it("every kind of work has its own lock", () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});
