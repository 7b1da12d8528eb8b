import { describe, expect, it } from "vitest";
import { flagFor, FlagTableText, tokensFor, TokenTableText } from "./model-table.ts";

describe("table of models", () => {
  it("returns a model's own entry, else the default, else undefined", () => {
    const text = '{"claude-opus": 32000, "default": 8192}';
    expect(tokensFor(text, "claude-opus")).toBe(32_000);
    expect(tokensFor(text, "claude-haiku")).toBe(8192);
    expect(tokensFor("", "claude-opus")).toBeUndefined();
    expect(tokensFor('{"claude-opus": 1}', "toString")).toBeUndefined();
    expect(flagFor('{"gemini-pro": true}', "gemini-pro")).toBe(true);
    expect(flagFor('{"gemini-pro": true}', "gemini-flash")).toBe(false);
  });

  it("reports what is invalid", () => {
    const output = (schema: typeof TokenTableText, text: string) =>
      schema.safeParse(text).error?.issues[0]?.message;
    expect(output(TokenTableText, "{")).toBe("json_text");
    expect(output(TokenTableText, '{"a": "much"}')).toBe("token_table");
    expect(output(TokenTableText, "[1]")).toBe("token_table");
    expect(output(FlagTableText, '{"a": 1}')).toBe("flag_table");
    expect(output(TokenTableText, '{"a": 8192}')).toBeUndefined();
  });
});
