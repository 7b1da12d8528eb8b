import { reasons } from "@gateway/shared/reasons";
import { expect, it } from "vitest";
import { reasonPhrases } from "./reasons.ts";

it("reasons: every sentence of the server is marked for translation as it is", () => {
  expect(reasonPhrases).toEqual(reasons);
});
