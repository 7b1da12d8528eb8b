import { findCodes } from "@gateway/shared/errors";
import { describe, expect, it } from "vitest";

describe("the code of an error", () => {
  it("is found by its name within a message", () => {
    expect(findCodes('{"error":{"code":"session_budget_exhausted"}}')).toEqual(["session_budget_exhausted"]);
  });

  it("is found by the English message, whatever its values are", () => {
    const message = 'API Error: 404 The model "gpt-9" does not exist or is not available to this key.';
    expect(findCodes(message)).toEqual(["model_not_found"]);
    expect(findCodes("This API key may not be used from 192.0.2.7.")).toEqual(["address_not_allowed"]);
  });

  it("is not found in other text", () => {
    expect(findCodes("channels of the east")).toEqual([]);
    expect(findCodes("constructor toString")).toEqual([]);
  });
});
