import { expect, it } from "vitest";
import { backgroundModelFor } from "./background-model.ts";

it("the background model beside a larger Claude is the newest Haiku of the key, else the model itself", () => {
  const names = ["claude-sonnet-5-5", "claude-3-5-haiku", "claude-haiku-4-5", "claude-haiku-5-5", "gpt-5"];
  expect(backgroundModelFor("claude-sonnet-5-5", names)).toBe("claude-haiku-5-5");
  expect(backgroundModelFor("claude-haiku-4-5", names)).toBe("claude-haiku-4-5");
  expect(backgroundModelFor("claude-sonnet-5-5", ["claude-sonnet-5-5"])).toBe("claude-sonnet-5-5");
  expect(backgroundModelFor("gpt-5", names)).toBe("gpt-5");
});
