import { describe, expect, it } from "vitest";
import { follow, tell, type Typed } from "./typed.ts";

const typed = (text: string, known: string, ...reported: string[]): Typed => ({ text, known, reported });

describe("a text whose value lives elsewhere", () => {
  it("is not taken back by what was reported before it grew", () => {
    expect(follow(typed("2025-10-04", "2026-11-02", "2026-10-02", "2026-10-04"), "2026-10-02")).toEqual(
      typed("2025-10-04", "2026-10-02", "2026-10-04"),
    );
    expect(follow(typed("two words", "", "two"), "two")).toEqual(typed("two words", "two"));
  });

  it("gives way to a value that came from elsewhere", () => {
    expect(follow(typed("needle", "needle"), "")).toEqual(typed("", ""));
    expect(follow(typed("needles", "needle", "needles"), "")).toEqual(typed("", ""));
  });

  it("waits for nothing when what it reports is known", () => {
    expect(tell(typed("a", "b", "a"), "b ")).toEqual(typed("a", "b"));
    expect(tell(typed("a ", ""), "a ")).toEqual(typed("a ", "", "a"));
  });
});
