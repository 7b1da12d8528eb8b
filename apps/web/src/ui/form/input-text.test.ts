import { describe, expect, it } from "vitest";
import { followValue, reportText, type InputText } from "./input-text.ts";

const typed = (text: string, known: string, ...reported: string[]): InputText => ({ text, known, reported });

describe("an input with an external value", () => {
  it("is not reverted by an earlier report that returns late", () => {
    expect(followValue(typed("2025-10-04", "2026-11-02", "2026-10-02", "2026-10-04"), "2026-10-02")).toEqual(
      typed("2025-10-04", "2026-10-02", "2026-10-04"),
    );
    expect(followValue(typed("two words", "", "two"), "two")).toEqual(typed("two words", "two"));
  });

  it("accepts a value that was set elsewhere", () => {
    expect(followValue(typed("needle", "needle"), "")).toEqual(typed("", ""));
    expect(followValue(typed("needles", "needle", "needles"), "")).toEqual(typed("", ""));
  });

  it("waits for nothing when the reported value is already known", () => {
    expect(reportText(typed("a", "b", "a"), "b ")).toEqual(typed("a", "b"));
    expect(reportText(typed("a ", ""), "a ")).toEqual(typed("a ", "", "a"));
  });
});
