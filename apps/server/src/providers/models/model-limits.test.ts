import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import type { DialectId, Reasoning } from "#dialects/ir.ts";
import { anthropic } from "#providers/definitions/anthropic.ts";
import { azureFoundry } from "#providers/definitions/cloud/azure-foundry.ts";
import { azure } from "#providers/definitions/cloud/azure.ts";
import { bedrock } from "#providers/definitions/cloud/bedrock.ts";
import { vertex } from "#providers/definitions/cloud/vertex.ts";
import { custom } from "#providers/definitions/custom.ts";
import { gemini } from "#providers/definitions/gemini.ts";
import { ollama } from "#providers/definitions/local/ollama.ts";
import { openai } from "#providers/definitions/openai.ts";
import { together } from "#providers/definitions/together.ts";
import { type RequestShape, dialectsFor, type RequestFeature, type Provider } from "#providers/provider.ts";
import { claudeModel } from "./claude-models.ts";

function adjusted(
  provider: Provider,
  dialect: DialectId,
  body: Wire,
  { model = String(body["model"]), reasoning }: { model?: string; reasoning?: Reasoning } = {},
): Wire {
  const translated = reasoning === undefined ? {} : { translated: true, reasoning };
  const call: RequestShape = { model, stream: false, dialect, other: "", plugin: {}, ...translated };
  return provider.adjustRequest?.(body, call) ?? body;
}

const messages = [{ role: "user", content: "Hi" }];
const budget = { type: "enabled", budget_tokens: 6553 };

describe("Claude's generations", () => {
  const claudes: Array<[string, Provider, string]> = [
    ["Anthropic", anthropic, "claude-sonnet-5-5"],
    ["Anthropic, Opus 4.7", anthropic, "claude-opus-4-7"],
    ["Anthropic, Opus 4.8", anthropic, "claude-opus-4-8"],
    ["Anthropic, Fable 5", anthropic, "claude-fable-5"],
    ["Bedrock", bedrock, "us.anthropic.claude-opus-5-v1:0"],
    ["Vertex AI", vertex, "claude-sonnet-5@20260601"],
    ["Azure AI Foundry", azureFoundry, "claude-haiku-5-5"],
  ];

  it.each(claudes)("%s: a budget becomes adaptive thinking with an effort", (_name, provider, model) => {
    const body = { model, messages, max_tokens: 8192, thinking: budget, temperature: 0.7, top_k: 5 };
    const sent = adjusted(provider, "anthropic", body, { reasoning: { effort: "high" } });
    expect(sent).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
    expect(sent).not.toHaveProperty("temperature");
    expect(sent).not.toHaveProperty("top_k");
    expect(sent["thinking"]).not.toHaveProperty("budget_tokens");
  });

  it("a Messages client receives the form that its model supports, too", () => {
    const sent = adjusted(anthropic, "anthropic", { model: "claude-opus-4-8", messages, thinking: budget });
    expect(sent).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "medium" } });
  });

  it.each([
    ["claude-opus-4-6", "xhigh", "high"],
    ["claude-opus-4-5", "max", "high"],
    ["claude-opus-4-7", "xhigh", "xhigh"],
    ["claude-opus-4-7", "minimal", "low"],
    ["claude-sonnet-4-5", "high", undefined],
    ["claude-haiku-4-5-20251001", "low", undefined],
  ])("%s: the effort %s is sent as %s", (model, effort, sent) => {
    const body = { model, messages, max_tokens: 8192, thinking: budget, output_config: { effort } };
    const { output_config: output } = adjusted(anthropic, "anthropic", body) as { output_config?: Wire };
    expect(output?.["effort"]).toBe(sent);
  });

  it.each(["claude-opus-4-1-20250805", "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-haiku-4-5"])(
    "%s: temperature stays, top_p is dropped when both are set",
    (model) => {
      const body = { model, messages, temperature: 0.5, top_p: 0.9 };
      expect(adjusted(anthropic, "anthropic", body)).toEqual({ model, messages, temperature: 0.5 });
      const alone = { model, messages, top_p: 0.9 };
      expect(adjusted(anthropic, "anthropic", alone)).toBe(alone);
    },
  );

  it("models with a thinking budget receive one for adaptive thinking, models that never think receive none", () => {
    const wish = { reasoning: { adaptive: true } };
    const body = { model: "claude-sonnet-4-5", messages, max_tokens: 8192, thinking: { type: "adaptive" } };
    expect(adjusted(anthropic, "anthropic", body, wish)).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 4096 },
    });
    const old = { ...body, model: "claude-3-5-haiku-latest", thinking: budget };
    expect(adjusted(anthropic, "anthropic", old)).not.toHaveProperty("thinking");
  });

  it("models whose thinking cannot be disabled think little", () => {
    const body = { model: "claude-opus-5-5", messages, max_tokens: 100, thinking: { type: "disabled" } };
    const sent = adjusted(anthropic, "anthropic", body, { reasoning: { effort: "none" } });
    expect(sent).not.toHaveProperty("thinking");
    expect(sent).toMatchObject({ output_config: { effort: "low" } });
    const haiku = { ...body, model: "claude-haiku-5-5" };
    expect(adjusted(anthropic, "anthropic", haiku)).toBe(haiku);
  });

  it("models that cannot be forced choose their tools themselves", () => {
    const choice = { tool_choice: { type: "tool", name: "look" } };
    const body = { model: "claude-opus-5-5", messages, ...choice };
    expect(adjusted(anthropic, "anthropic", body)).toMatchObject({ tool_choice: { type: "auto" } });
    const opus5 = { ...body, model: "claude-opus-5" };
    expect(adjusted(anthropic, "anthropic", opus5)).toBe(opus5);
  });

  it("a valid body is returned as the same object", () => {
    for (const body of [
      {
        model: "claude-opus-4-8",
        messages,
        thinking: { type: "adaptive" },
        output_config: { effort: "max" },
      },
      { model: "claude-sonnet-5", messages, temperature: 1 },
      { model: "claude-sonnet-4-5", messages, thinking: budget, temperature: 1 },
      { model: "claude-sonnet-4-20250514", messages, temperature: 0.2, top_p: 0.5 },
      { model: "an-unknown-deployment", messages, thinking: budget, temperature: 0.2, top_p: 0.5 },
    ])
      expect(adjusted(anthropic, "anthropic", body)).toBe(body);
  });

  it.each([
    ["claude-3-opus-20240229", "none"],
    ["claude-3-7-sonnet-20250219", "budget"],
    ["claude-opus-4-20250514", "budget"],
    ["anthropic/claude-opus-4.5", "budget"],
    ["claude-sonnet-4-6", "both"],
    ["eu.anthropic.claude-opus-4-6-v1", "both"],
    ["anthropic/claude-4.7-opus", "adaptive"],
    ["claude-mythos-preview", "adaptive"],
    ["claude-haiku-5-5", "adaptive"],
  ])("%s has the thinking settings: %s", (model, thinking) => {
    expect(claudeModel(model)?.thinking).toBe(thinking);
  });
});

describe("Gemini's generations", () => {
  it.each<[string, Reasoning, Wire | undefined]>([
    ["gemini-2.5-flash", { effort: "high" }, { thinkingBudget: 24_576 }],
    ["gemini-2.5-flash-lite", { effort: "max" }, { thinkingBudget: 24_576 }],
    ["gemini-2.5-flash-lite", { budgetTokens: 100 }, { thinkingBudget: 512 }],
    ["gemini-2.5-flash", { budgetTokens: 31_999 }, { thinkingBudget: 24_576 }],
    ["gemini-2.5-pro", { budgetTokens: 31_999 }, { thinkingBudget: 31_999 }],
    ["gemini-2.5-pro", { effort: "none" }, { thinkingBudget: 128 }],
    ["gemini-2.5-flash", { effort: "none" }, { thinkingBudget: 0 }],
    ["gemini-2.5-flash", { adaptive: true }, { thinkingBudget: -1 }],
    ["gemini-2.5-flash", { adaptive: true, effort: "low" }, { thinkingBudget: 6553 }],
    ["gemini-3-pro-preview", { effort: "none" }, { thinkingLevel: "LOW" }],
    ["gemini-3.1-pro-preview", { effort: "medium" }, { thinkingLevel: "MEDIUM" }],
    ["gemini-3.8-flash", { adaptive: true, effort: "max" }, { thinkingLevel: "HIGH" }],
    ["gemini-3.5-flash-lite", { effort: "none" }, { thinkingLevel: "MINIMAL" }],
    ["gemini-2.0-flash", { effort: "high" }, undefined],
    ["gemini-1.5-pro", { budgetTokens: 2000 }, undefined],
    ["gemini-2.5-flash-image", { effort: "high" }, undefined],
    ["gemini-flash-latest", { effort: "max" }, { thinkingBudget: 24_576 }],
    ["gemini-flash-lite-latest", { budgetTokens: 31_999 }, { thinkingBudget: 24_576 }],
    ["gemini-pro-latest", { effort: "none" }, { thinkingBudget: 128 }],
    ["gemini-robotics-er-1.5-preview", { effort: "high" }, { thinkingBudget: 24_576 }],
  ])("%s: %j is sent as %j", (model, reasoning, wanted) => {
    for (const provider of [gemini, vertex]) {
      const body = {
        contents: [],
        generationConfig: { topP: 1, thinkingConfig: { thinkingBudget: 26_214 } },
      };
      const sent = adjusted(provider, "gemini", body, { model, reasoning });
      expect((sent["generationConfig"] as Wire)["thinkingConfig"]).toEqual(wanted);
    }
  });

  it("at most five stop sequences are sent", () => {
    const stopSequences = ["1", "2", "3", "4", "5", "6"];
    for (const provider of [gemini, vertex])
      for (const key of ["generationConfig", "generation_config"])
        expect(
          adjusted(
            provider,
            "gemini",
            { contents: [], [key]: { stopSequences } },
            { model: "gemini-2.5-pro" },
          ),
        ).toEqual({ contents: [], [key]: { stopSequences: stopSequences.slice(0, 5) } });
  });

  it("its own clients keep their form where the model accepts it", () => {
    for (const [model, thinkingConfig] of [
      ["gemini-2.5-flash", { thinkingBudget: 1024, includeThoughts: true }],
      ["gemini-3.1-pro-preview", { thinkingBudget: 1024 }],
      ["gemini-3.1-pro-preview", { thinkingLevel: "low" }],
      ["some-tuned-model", { thinkingBudget: 99_999 }],
    ] as const) {
      const body = { contents: [], generationConfig: { thinkingConfig } };
      expect(adjusted(gemini, "gemini", body, { model })).toBe(body);
    }
    const out = { contents: [], generationConfig: { thinkingConfig: { thinkingBudget: 32_000 } } };
    expect(adjusted(gemini, "gemini", out, { model: "gemini-2.5-flash" })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } },
    });
  });
});

describe("OpenAI's families", () => {
  it.each([
    ["gpt-5", "none", undefined],
    ["gpt-5-mini", "xhigh", "high"],
    ["gpt-5-nano", "minimal", "minimal"],
    ["gpt-5-codex", "none", undefined],
    ["gpt-5-pro", "low", "high"],
    ["o3", "none", undefined],
    ["o4-mini", "max", "high"],
    ["gpt-5.1", "minimal", "low"],
    ["gpt-5.1", "none", "none"],
    ["gpt-5.1-codex-max", "max", "xhigh"],
    ["gpt-5.2", "max", "xhigh"],
    ["gpt-5.4-mini", "xhigh", "xhigh"],
    ["gpt-5.6-sol", "max", "max"],
    ["gpt-4o-mini", "high", undefined],
    ["gpt-5-chat-latest", "high", undefined],
    ["ft:some-model", "high", "high"],
    ["ft:gpt-4.1-mini-2025-04-14:acme::abc", "high", undefined],
    ["ft:o4-mini-2025-04-16:acme::abc", "max", "high"],
    ["gpt-audio", "low", undefined],
  ])("%s: the effort %s is sent as %s, in both formats", (model, effort, wanted) => {
    const chat = adjusted(openai, "openai-chat", { model, messages, reasoning_effort: effort });
    expect(chat["reasoning_effort"]).toBe(wanted);
    const responses = adjusted(openai, "openai-responses", { model, input: "Hi", reasoning: { effort } });
    expect((responses["reasoning"] as Wire | undefined)?.["effort"]).toBe(wanted);
  });

  it("at most four stop sequences are sent", () => {
    const body = { model: "gpt-4o", messages, stop: ["1", "2", "3", "4", "5"] };
    expect(adjusted(openai, "openai-chat", body)).toMatchObject({ stop: ["1", "2", "3", "4"] });
  });

  it.each([
    [custom, "llama-3.3-70b"],
    [ollama, "gemma3:27b"],
    [together, "meta-llama/Llama-3.3-70B-Instruct-Turbo"],
    [azure, "gpt-4o-eu"],
    [custom, "gpt-4.1"],
  ])("%#: servers of this format receive no effort for a model without reasoning", (provider, model) => {
    const body = { model, messages, reasoning_effort: "high" };
    expect(adjusted(provider, "openai-chat", body, { reasoning: { effort: "high" } })).not.toHaveProperty(
      "reasoning_effort",
    );
  });

  it("Azure: a deployment of any name receives the limit under its current name", () => {
    const wish = { reasoning: { effort: "low" as const } };
    const body = { model: "my-deployment", messages, max_tokens: 9 };
    expect(adjusted(azure, "openai-chat", body, wish)).toMatchObject({ max_completion_tokens: 9 });
    const old = { ...body, model: "gpt-35-turbo" };
    expect(adjusted(azure, "openai-chat", old, wish)).toMatchObject({ max_tokens: 9 });
  });
});

describe("models and requests without chat completions", () => {
  const spoken = (provider: Provider, model: string, ...needs: RequestFeature[]) => {
    const plugin = { customize: { "16": "/v1/responses" } };
    return dialectsFor(provider, { model, stream: false, other: "", plugin, needs: new Set(needs) })[0];
  };

  it.each([
    "gpt-5-pro",
    "o3-pro",
    "o1-pro-2025-03-19",
    "gpt-5-codex",
    "gpt-5.1-codex-mini",
    "codex-mini-latest",
    "o3-deep-research",
    "o4-mini-deep-research",
    "gpt-5.5-pro",
    "computer-use-preview",
  ])("%s is sent to Responses", (model) => {
    for (const provider of [openai, azure, azureFoundry, custom])
      expect(spoken(provider, model)).toBe("openai-responses");
  });

  it("a web search goes to Responses, everything else to chat completions", () => {
    for (const provider of [openai, azure, azureFoundry, custom]) {
      expect(spoken(provider, "gpt-4o", "web-search")).toBe("openai-responses");
      expect(spoken(provider, "gpt-4o", "code-execution")).toBe("openai-responses");
      expect(spoken(provider, "gpt-4o", "tools")).toBe("openai-chat");
    }
  });

  it("functions for a model that thinks go to Responses where chat completions reject both", () => {
    expect(spoken(openai, "gpt-5.4", "tools", "thinking")).toBe("openai-responses");
    expect(spoken(openai, "gpt-5.4", "tools")).toBe("openai-chat");
    expect(spoken(openai, "gpt-5.6-sol", "tools")).toBe("openai-responses");
    expect(spoken(openai, "gpt-5.6-sol", "tools", "no-thinking")).toBe("openai-chat");
    expect(spoken(openai, "gpt-5.2", "tools", "thinking")).toBe("openai-chat");
  });
});
