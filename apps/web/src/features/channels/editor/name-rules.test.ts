import { describe, expect, it } from "vitest";
import { applyRules, friendlyName, noRules } from "./name-rules.ts";

describe("simplified names", () => {
  it("drop the owner, date, prefix, suffix and capitals, each only when enabled", () => {
    expect(friendlyName("openai/GPT-4o-2024-11-20", noRules)).toBe("openai/GPT-4o-2024-11-20");
    expect(friendlyName("openai/gpt-4o", { ...noRules, dropOwner: true })).toBe("gpt-4o");
    expect(friendlyName("gpt-4o-2024-11-20", { ...noRules, dropDate: true })).toBe("gpt-4o");
    expect(friendlyName("claude-3-5-haiku-20241022", { ...noRules, dropDate: true })).toBe(
      "claude-3-5-haiku",
    );
    expect(friendlyName("gpt-4-0613", { ...noRules, dropDate: true })).toBe("gpt-4");
    expect(friendlyName("Pro/Qwen", { ...noRules, prefix: "Pro/", lowerCase: true })).toBe("qwen");
    expect(friendlyName("llama:free", { ...noRules, suffix: ":free" })).toBe("llama");
    expect(friendlyName("only/", { ...noRules, dropOwner: true })).toBe("only/");
  });

  it("are mapped to the provider's names, and keep every model when two share a name", () => {
    const rules = { ...noRules, dropOwner: true, billRequested: true };
    expect(applyRules(["a/one", "b/one", "two", "c/*"], rules)).toEqual({
      models: ["one", "b/one", "two", "c/*"],
      mapping: { one: "+a/one" },
    });
    expect(applyRules(["a/one", "one"], rules)).toEqual({ models: ["a/one", "one"], mapping: {} });
  });

  it("can be added to the originals", () => {
    expect(applyRules(["a/one"], { ...noRules, dropOwner: true, keepOriginal: true })).toEqual({
      models: ["one", "a/one"],
      mapping: { one: "a/one" },
    });
  });
});
