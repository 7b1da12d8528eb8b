import { expect, test } from "vitest";
import { namesIn } from "./use-comparison.ts";

test("the compared models of an address: at most three, each once, in their order", () => {
  expect(namesIn("")).toEqual([]);
  expect(namesIn("gpt-4o,org%2Fwith-slash,gpt-4o,a%2Cb")).toEqual(["gpt-4o", "org/with-slash", "a,b"]);
  expect(namesIn("a,b,c,d")).toEqual(["a", "b", "c"]);
  expect(namesIn("%E0%A4%A,b")).toEqual(["b"]);
});
