import { describe, expect, it } from "vitest";
import { type CostWire, withinCost } from "./cost-fields.ts";

const chat = { model: "m", messages: [{ role: "user", content: "Hi" }] };

describe("output limits: only one reaches the provider", () => {
  it("unchanged: a body with the format's own limit is the same object", () => {
    for (const body of [chat, { ...chat, max_tokens: 5, n: 2 }, { ...chat, n_predict: null }])
      expect(withinCost("openai-chat", body)).toEqual({ body, dropped: [] });
    const body = { ...chat, max_completion_tokens: 7 };
    expect(withinCost("openai-chat", body).body).toBe(body);
  });

  it("both own limits: the larger one is kept", () => {
    expect(withinCost("openai-chat", { ...chat, max_tokens: 100_000, max_completion_tokens: 1 })).toEqual({
      body: { ...chat, max_completion_tokens: 100_000 },
      dropped: ["max_tokens"],
    });
  });

  it.each([
    "n_predict",
    "num_predict",
    "max_new_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "MAX_TOKENS",
    "Max-Tokens",
    "max_gen_len",
    "maxTokens",
  ])("another format's limit beside the own one is removed: %s", (name) => {
    expect(withinCost("openai-chat", { ...chat, max_tokens: 1, [name]: 5_000 })).toEqual({
      body: { ...chat, max_tokens: 1 },
      dropped: [name],
    });
  });

  it("another format's limit alone becomes the own one", () => {
    const wires: [CostWire, object][] = [
      ["openai-chat", { max_tokens: 50 }],
      ["openai-responses", { max_output_tokens: 50 }],
      ["anthropic", { max_tokens: 50 }],
      ["openai-plain", { max_tokens: 50 }],
    ];
    for (const [wire, limit] of wires) {
      const { body, dropped } = withinCost(wire, { model: "m", options: { num_predict: "50", top_k: 3 } });
      expect(body, wire).toEqual({ model: "m", options: { top_k: 3 }, ...limit });
      expect(dropped).toEqual(["options.num_predict"]);
    }
  });

  it.each([-1, 0, "without end", {}, true])("%j sets no limit", (value) => {
    expect(withinCost("openai-chat", { ...chat, n_predict: value }).body).toEqual(chat);
  });

  it("Gemini: its own limits are inside the configuration", () => {
    const generationConfig = { maxOutputTokens: 5, candidateCount: 2, max_new_tokens: 900 };
    expect(
      withinCost("gemini", { contents: [], generationConfig, max_tokens: 9_000, n: 8, candidate_count: 3 }),
    ).toEqual({
      body: { contents: [], generationConfig: { maxOutputTokens: 5, candidateCount: 2 } },
      dropped: ["generationConfig.max_new_tokens", "max_tokens", "n", "candidate_count"],
    });
  });
});

describe("fields whose cost would not be billed", () => {
  it.each([
    ["openai-chat", { best_of: 20, num_return_sequences: 9, use_beam_search: true }],
    ["openai-chat", { models: ["m", "dearer"], fallbacks: [], route: "fallback", plugins: [{ id: "web" }] }],
    ["openai-chat", { provider: { order: ["dear"] }, preset: "x", search_parameters: { mode: "on" } }],
    ["openai-chat", { enable_search: true, force_search_enhancement: true, chat_template: "{{ x }}" }],
    ["openai-responses", { n: 5, best_of: 5, models: ["a"] }],
    ["anthropic", { n: 5, inference_geo: "us", fallbacks: ["a"] }],
    ["openai-chat", { min_tokens: 100_000, ignore_eos: true, "Min-New-Tokens": 5 }],
    ["openai-responses", { min_tokens: 100_000, ignoreEos: true }],
    ["anthropic", { min_tokens: 100_000, ignore_eos: true }],
    ["gemini", { minLength: 100_000, ignore_eos: true }],
    ["openai-chat", { fallback_models: ["dear"], deployment: "dear", engine: "dear", deferred: true }],
    [
      "openai-responses",
      { model_name: "dear", modelId: "dear", providerOptions: { gateway: { models: [] } } },
    ],
    ["anthropic", { "model-id": "dear", user_model: "dear", context_window_fallbacks: [] }],
    ["openai-vectors", { Deployment_ID: "dear", model_name: "dear", fallback: "dear" }],
    ["openai-vectors", { models: ["a"], provider: { sort: "x" }, service_tier: "priority" }],
    ["openai-plain", { service_tier: "priority" }],
  ] as const)("%s: %j are removed and reported", (wire, fields) => {
    expect(withinCost(wire, { model: "m", ...fields })).toEqual({
      body: { model: "m" },
      dropped: Object.keys(fields),
    });
  });

  it.each(["openai-chat", "openai-responses", "anthropic"] as const)(
    "%s: are found in objects that servers merge into the body",
    (wire) => {
      for (const container of [
        "generate_cfg",
        "config",
        "input",
        "params",
        "kwargs",
        "generateConfig",
        "gen-config",
      ]) {
        const inner = { temperature: 1, max_tokens: 9_999, n: 5, model: "dear", ignore_eos: true };
        const { body, dropped } = withinCost(wire, { [container]: inner });
        expect(body[container], container).toEqual({ temperature: 1 });
        expect(dropped).toEqual(
          ["max_tokens", "n", "model", "ignore_eos"].map((name) => `${container}.${name}`),
        );
      }
    },
  );

  it("an input that is a text, a list or messages passes unchanged", () => {
    const messages = [{ role: "user", content: "x", max_tokens: 5, config: { n: 2 } }];
    for (const input of ["x", ["x", "y"], [[1, 2]], messages]) {
      const body = { model: "m", input };
      expect(withinCost("openai-responses", body).body).toBe(body);
      expect(withinCost("openai-vectors", body).body).toBe(body);
      expect(withinCost("openai-plain", body).body).toBe(body);
    }
  });

  it("lengths of an input, and fields of the caller's own, are not limits", () => {
    const body = { model: "m", input: "x", max_length: 512, custom_rule: 1, metadata: { n: "1" } };
    expect(withinCost("openai-vectors", body).body).toBe(body);
  });
});
