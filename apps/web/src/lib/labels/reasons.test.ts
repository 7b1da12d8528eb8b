import { plainReason, reasonBecause, reasonOf, reasons } from "@gateway/shared/reasons";
import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { loadErrorTexts } from "#lib/errors/late-errors.ts";
import { translateWith } from "#lib/translate.fixture.ts";
import { reasonPhrases, storedReason } from "./reasons.ts";

it("reasons: every template of the server is marked for translation unchanged", () => {
  expect(reasonPhrases).toEqual({ ...reasons, passedOn: "Forwarded: {{path}}" });
});

/** A translation function that returns the phrase and its values. */
const t = translateWith((key: string, values?: object) =>
  Object.keys(values ?? {}).length === 0 ? `<${key}>` : `<${key} ${JSON.stringify(values)}>`,
);

describe("a stored reason", () => {
  it("is built from its facts, including those of its cause", () => {
    const slow = reasonOf("testsSlow", { model: "o3", limit: 5, first: 6_000, second: 7_000 });
    const shown = storedReason(t, slow.text, slow.facts);
    expect(shown).toBe(`<${reasons.testsSlow} {"model":"o3","limit":5,"first":6000,"second":7000}>`);
    const last = reasonBecause("lastKey", slow, { keys: 2 });
    expect(storedReason(t, last.text, last.facts)).toBe(
      `<${reasons.lastKey} ${JSON.stringify({ keys: 2, reason: shown })}>`,
    );
  });

  it("names a kind of failure by its label", () => {
    const { text, facts } = reasonOf("circuitByTest", { kind: "timeout" });
    const shown = storedReason(t, text, facts, (kind) => `label of ${kind}`);
    expect(shown).toContain("<label of timeout>");
  });

  it("is an error's message when its facts are an error", async () => {
    await i18next.init({ lng: "en_US" });
    await loadErrorTexts();
    const facts = [{ code: "model_not_found", params: { reason: "model_unknown", model: "gpt-9" } }];
    expect(storedReason(t, "…", facts)).toContain('"model":"gpt-9"');
  });

  it("is its English text without facts, or with facts of another version", () => {
    const { text, facts } = plainReason("A call succeeded.");
    expect(storedReason(t, text, facts)).toBe("A call succeeded.");
    expect(storedReason(t, "In English.", [{ code: "unheard", params: {} }])).toBe("In English.");
  });
});
