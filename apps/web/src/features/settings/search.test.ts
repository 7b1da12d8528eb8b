import { describe, expect, it } from "vitest";
import { findSections, markHits } from "./search.ts";

const found = (query: string, translate = (text: string) => text) =>
  findSections(query, translate).map(({ id }) => id);

describe("the search of the settings", () => {
  it("finds the beginning of words, and not their inside", () => {
    expect(found("additional attempts")).toEqual(["retries"]);
    expect(found("attem")).toContain("retries");
    expect(found("ttempts")).toEqual([]);
    expect(found("dditional")).toEqual([]);
  });

  it("finds a key and each of its parts", () => {
    expect(found("RetryCooldownSeconds")).toEqual(found("retrycooldownseconds"));
    expect(found("RetryTimes")).toContain("retries");
    expect(found("cooldown")).toContain("retries");
  });

  it("finds Chinese text anywhere", () => {
    const chinese: Record<string, string> = { "Additional attempts": "额外尝试次数" };
    expect(found("尝试", (text) => chinese[text] ?? text)).toEqual(["retries"]);
  });

  it("takes special characters as they are", () => {
    for (const query of ["(", "[a", "\\", "a|b", "$"]) expect(Array.isArray(found(query))).toBe(true);
  });

  it("marks what it found", () => {
    const marked = (text: string, ...parts: string[]) =>
      markHits(text, parts)
        .map(({ text: part, isHit }) => (isHit ? `[${part}]` : part))
        .join("");
    expect(marked("Retry the retry of a noretry", "retry")).toBe("[Retry] the [retry] of a noretry");
    expect(marked("额外尝试次数", "尝试")).toBe("额外[尝试]次数");
    expect(marked("plain")).toBe("plain");
  });
});
