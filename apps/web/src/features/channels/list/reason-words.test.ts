import type { TFunction } from "i18next";
import { describe, expect, it } from "vitest";
import { reasonText } from "./reason-words.ts";

/** Shows which phrase was asked for, and with what. */
const t = ((key: string, values: Record<string, string> = {}) =>
  Object.keys(values).every((name) => name === "defaultValue")
    ? (values["defaultValue"] ?? `<${key}>`)
    : `<${key} ${JSON.stringify(values)}>`) as unknown as TFunction;

describe("a reason of the server", () => {
  it("is recognised with what it tells, also inside another", () => {
    const refused = "The vendor refuses the key (HTTP 401), 3 times in a row.";
    expect(reasonText(t, refused)).toBe(
      '<The vendor refuses the key (HTTP {{status}}), {{times}} times in a row. {"status":"401","times":"3"}>',
    );
    expect(reasonText(t, `None of its 2 keys is in use any more. The last one: ${refused}`)).toContain(
      "HTTP {{status}}",
    );
    expect(reasonText(t, "Too many calls failed (the last: timeout).")).toContain("did not answer in time");
  });

  it("is recognised with the test that confirmed it", () => {
    const refused =
      "The provider refuses the key: 3 calls in a row failed, and a test failed too (HTTP 403: no).";
    expect(reasonText(t, refused)).toContain('{"times":"3","message":"HTTP 403: no"}');
    const paused = "Too many calls failed (the last: timeout), confirmed by a test.";
    expect(reasonText(t, paused)).toContain("confirmed by a test");
  });

  it("stays as it is when nobody knows it", () => {
    expect(reasonText(t, "Because.")).toBe("Because.");
  });
});
