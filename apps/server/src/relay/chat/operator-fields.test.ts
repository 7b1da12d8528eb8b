import { defaultSettings } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId } from "#dialects/ir.ts";
import { type OperatorDefaults, withDefaults } from "./operator-fields.ts";

function sent(dialect: DialectId, part: Partial<ChatRequest>, wishes: Partial<OperatorDefaults> = {}) {
  const messages: ChatRequest["messages"] = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
  const request = { model: "some-model", stream: false, messages, ...part };
  const settings = { ...defaultSettings, ...wishes };
  return dialects[dialect].encodeRequest(withDefaults(request, dialect, settings)).body;
}

describe("a request with open settings", () => {
  it("gets the operator's limit for this Anthropic model, or for all", () => {
    const wishes = { ClaudeDefaultMaxTokens: '{"some-model": 32000, "default": 4000}' };
    expect(sent("anthropic", {}, wishes)["max_tokens"]).toBe(32_000);
    expect(sent("anthropic", { model: "other" }, wishes)["max_tokens"]).toBe(4000);
    expect(sent("anthropic", { maxOutputTokens: 5 }, wishes)["max_tokens"]).toBe(5);
    expect(sent("anthropic", {})["max_tokens"]).toBe(8192);
  });

  it("thinks within a share of that limit when it sets no budget", () => {
    const open = { reasoning: { adaptive: true }, maxOutputTokens: 10_000 };
    expect(sent("anthropic", open)["thinking"]).toEqual({ type: "enabled", budget_tokens: 8000 });
    const half = { ClaudeBudgetTokensPercentage: 0.5 };
    expect(sent("anthropic", open, half)["thinking"]).toEqual({ type: "enabled", budget_tokens: 5000 });
    const free = { ClaudeBudgetTokensPercentage: 0 };
    expect(sent("anthropic", open, free)["thinking"]).toEqual({ type: "adaptive" });
  });

  it("includes thoughts of the Gemini models that the operator has chosen", () => {
    const wishes = { GeminiOpenThink: '{"some-model": true}' };
    const config = (part: Partial<ChatRequest>) =>
      (sent("gemini", part, wishes)["generationConfig"] as Record<string, unknown> | undefined)?.[
        "thinkingConfig"
      ];
    expect(config({})).toEqual({ includeThoughts: true });
    expect(config({ model: "other" })).toBeUndefined();
    expect(config({ reasoning: { effort: "none" } })).toEqual({ thinkingBudget: 0 });
  });

  it("is unchanged for other dialects", () => {
    expect(sent("openai-chat", {}, { GeminiOpenThink: '{"default": true}' })).not.toHaveProperty(
      "max_completion_tokens",
    );
  });
});
