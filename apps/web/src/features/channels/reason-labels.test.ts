import type { TFunction } from "i18next";
import { describe, expect, it } from "vitest";
import { reasonText } from "./reason-labels.ts";

/** Shows which phrase was asked for, and with what. */
const t = ((key: string, values: Record<string, string> = {}) =>
  Object.keys(values).every((name) => name === "defaultValue")
    ? (values["defaultValue"] ?? `<${key}>`)
    : `<${key} ${JSON.stringify(values)}>`) as unknown as TFunction;

describe("a reason of the server", () => {
  it("is recognised with what it tells, also inside another", () => {
    const slow = "Two tests with o3 took longer than 5 s: 6000 ms and 7000 ms.";
    expect(reasonText(t, slow)).toBe(
      '<Two tests with {{model}} took longer than {{limit}} s: {{first}} ms and {{second}} ms. {"model":"o3","limit":"5","first":"6000","second":"7000"}>',
    );
    expect(reasonText(t, `Disabled: None of its 2 keys is enabled. The last one: ${slow}`)).toContain(
      "longer than {{limit}}",
    );
    expect(reasonText(t, "The provider's account is empty: CNY 0.00.")).toContain('{"balance":"CNY 0.00"}');
  });

  it("is recognised with the test that confirmed it", () => {
    const refused =
      "The provider refuses the key: 3 calls in a row failed, and a test failed too (HTTP 403: no).";
    expect(reasonText(t, refused)).toContain('{"times":"3","message":"HTTP 403: no"}');
    const paused = "Too many calls failed (the last: timeout), confirmed by a test.";
    expect(reasonText(t, paused)).toContain("confirmed by a test");
  });

  it("stays as it is when no one knows it", () => {
    expect(reasonText(t, "Because.")).toBe("Because.");
    expect(reasonText(t, 'There is no group named "vip".')).toContain('{"name":"vip"}');
  });
});
