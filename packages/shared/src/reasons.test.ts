import { expect, it } from "vitest";
import { plainReason, reasonBecause, reasonOf, storedFacts } from "./reasons.ts";

it("reasons: keeps a value that looks like a placeholder", () => {
  expect(reasonOf("invited", { name: "{{name}} $& $1" })).toEqual({
    text: "Invited {{name}} $& $1",
    facts: [{ code: "invited", params: { name: "{{name}} $& $1" } }],
  });
});

it("reasons: includes the cause in the text, and appends its facts", () => {
  const slow = reasonOf("testsSlow", { model: "o3", limit: 5, first: 6_000, second: 7_000 });
  const disabled = reasonBecause("disabled", reasonBecause("lastKey", slow, { keys: 2 }));
  expect(disabled.text).toBe(
    "Disabled: None of the channel's 2 keys is enabled. Last key disabled: Two tests with o3 took longer than 5 s: 6000 ms and 7000 ms.",
  );
  expect(disabled.facts.map(({ code }) => code)).toEqual(["disabled", "lastKey", "testsSlow"]);
});

it("reasons: keeps a cause without facts as text", () => {
  expect(reasonBecause("disabled", plainReason("HTTP 403: no"))).toEqual({
    text: "Disabled: HTTP 403: no",
    facts: [{ code: "disabled", params: { reason: "HTTP 403: no" } }],
  });
});

it("reasons: reads no facts from what an earlier version stored", () => {
  expect(storedFacts(null)).toEqual([]);
  expect(storedFacts({ reason: "x" })).toEqual([]);
  const { facts } = reasonOf("callSucceeded");
  expect(storedFacts(JSON.parse(JSON.stringify(facts)))).toEqual(facts);
});
