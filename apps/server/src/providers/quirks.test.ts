import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { nineCharacters } from "./call-ids.ts";
import { ali } from "./definitions/ali.ts";
import { custom } from "./definitions/custom.ts";
import { deepseek } from "./definitions/deepseek.ts";
import { gemini } from "./definitions/gemini.ts";
import { groq } from "./definitions/groq.ts";
import { ollama } from "./definitions/local/ollama.ts";
import { minimax } from "./definitions/minimax.ts";
import { mistral } from "./definitions/mistral.ts";
import { moonshot } from "./definitions/moonshot.ts";
import { openai } from "./definitions/openai.ts";
import { openrouter } from "./definitions/openrouter.ts";
import { perplexity } from "./definitions/perplexity.ts";
import { stepfun } from "./definitions/stepfun.ts";
import { xai } from "./definitions/xai.ts";
import { xunfei } from "./definitions/xunfei.ts";
import { zhipu } from "./definitions/zhipu.ts";
import type { RequestShape, Provider } from "./provider.ts";
import { serves } from "./provider.ts";

const messages = [{ role: "user", content: "Hi" }];

function adjust(provider: Provider, body: Wire, call: Partial<RequestShape> = {}): Wire | undefined {
  const model = String(body["model"]);
  const shape: RequestShape = {
    model,
    stream: false,
    dialect: "openai-chat",
    other: "",
    plugin: {},
    ...call,
  };
  return provider.adjustRequest?.(body, shape);
}

describe("OpenAI's reasoning models", () => {
  it.each(["o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5-codex", "gpt-5.1-codex"])(
    "%s receive their limit under its new name and no sampling parameters",
    (model) => {
      const body = { model, messages, max_tokens: 9, temperature: 0.2, top_p: 0.1, reasoning_effort: "low" };
      expect(adjust(openai, body)).toEqual({
        model,
        messages,
        max_completion_tokens: 9,
        reasoning_effort: "low",
      });
    },
  );

  it("of the current generation accept sampling parameters while they do not think", () => {
    const body = { model: "gpt-5.2", messages, temperature: 0.2 };
    expect(adjust(openai, body)).toBe(body);
    expect(adjust(openai, { ...body, reasoning_effort: "none" })).toHaveProperty("temperature");
    expect(adjust(openai, { ...body, reasoning_effort: "high" })).not.toHaveProperty("temperature");
  });

  it("are distinguished from models that only chat", () => {
    for (const model of ["gpt-4o", "gpt-4.1", "gpt-5-chat-latest"]) {
      const body = { model, messages, max_tokens: 9, temperature: 0.2 };
      expect(adjust(openai, { ...body, reasoning_effort: "low" })).toEqual(body);
    }
  });

  it("do not receive reasoning of other providers' models", () => {
    const thought = {
      role: "assistant",
      content: "Hello",
      reasoning_content: "Greet.",
      reasoning_details: [],
    };
    expect(adjust(openai, { model: "gpt-4o", messages: [...messages, thought] })).toEqual({
      model: "gpt-4o",
      messages: [...messages, { role: "assistant", content: "Hello" }],
    });
  });
});

describe("Mistral", () => {
  it("receives only fields that it supports, under its own names", () => {
    const body = {
      model: "mistral-small-latest",
      messages: [{ role: "developer", content: "Be short." }, ...messages],
      max_completion_tokens: 5,
      seed: 7,
      user: "me",
      stream_options: { include_usage: true },
    };
    expect(adjust(mistral, body)).toEqual({
      model: "mistral-small-latest",
      messages: [{ role: "system", content: "Be short." }, ...messages],
      max_tokens: 5,
      random_seed: 7,
    });
  });

  it("receives call ids in its format, the same for call and result", () => {
    const call = { id: "call_abcdefghijkl", type: "function", function: { name: "f", arguments: "{}" } };
    const adjusted = adjust(mistral, {
      model: "m",
      messages: [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "1" },
      ],
    });
    const id = nineCharacters.replace(call.id);
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(nineCharacters.accepted.test("AbCdEf123")).toBe(true);
    expect(adjusted?.["messages"]).toEqual([
      { role: "assistant", content: null, tool_calls: [{ ...call, id }] },
      { role: "tool", tool_call_id: id, content: "1" },
    ]);
  });
});

describe("providers with their own limits", () => {
  it("Groq receives no log probabilities, one choice, and an effort that its models accept", () => {
    const body = {
      model: "llama-3.3-70b-versatile",
      messages,
      n: 2,
      logprobs: true,
      reasoning_effort: "low",
    };
    expect(adjust(groq, body)).toEqual({ model: body.model, messages });
    expect(adjust(groq, { model: "qwen/qwen3-32b", reasoning_effort: "high" })).toHaveProperty(
      "reasoning_effort",
      "default",
    );
    expect(adjust(groq, { model: "openai/gpt-oss-120b", reasoning_effort: "high" })).toHaveProperty(
      "reasoning_effort",
      "high",
    );
  });

  it("xAI's reasoning models receive no penalties and stop sequences", () => {
    const body = { model: "grok-4.3", messages, stop: ["x"], presence_penalty: 1 };
    expect(adjust(xai, body)).toEqual({ model: "grok-4.3", messages });
    const plain = { ...body, model: "grok-4-1-fast-non-reasoning" };
    expect(adjust(xai, plain)).toBe(plain);
  });

  it.each([
    ["grok-4.3", true],
    ["grok-4.7", true],
    ["grok-latest", true],
    ["grok-3-mini", true],
    ["grok-4.20-multi-agent-0309", true],
    ["grok-4", false],
    ["grok-4-0709", false],
    ["grok-4-1-fast-reasoning", false],
    ["grok-4.20-0309-reasoning", false],
    ["grok-3", false],
    ["grok-code-fast-1", false],
  ])("xAI's %s receives its effort: %s", (model, isSent) => {
    const body = { model, messages, reasoning_effort: "high" };
    expect(adjust(xai, body)).toEqual(isSent ? body : { model, messages });
  });

  it("Moonshot is not forced to call tools and stays within its temperature range", () => {
    const body = { model: "kimi-latest", messages, temperature: 1.7, tool_choice: "required" };
    expect(adjust(moonshot, body)).toMatchObject({ temperature: 1, tool_choice: "auto" });
  });

  it("Zhipu stays within its temperature range and uses JSON mode without a schema", () => {
    const body = { model: "glm-4.6", temperature: 2, top_p: 0, response_format: { type: "json_schema" } };
    expect(adjust(zhipu, body)).toMatchObject({
      temperature: 1,
      top_p: 0.01,
      response_format: { type: "json_object" },
    });
  });

  it("DeepSeek receives the current model name, with the thinking mode of the former name", () => {
    const requested = (body: Wire, dialect: "openai-chat" | "anthropic") =>
      adjust(deepseek, body, { dialect });
    for (const dialect of ["openai-chat", "anthropic"] as const) {
      const body = { model: "deepseek-chat", messages };
      expect(requested(body, dialect)).toEqual({
        model: "deepseek-v4-flash",
        messages,
        thinking: { type: "disabled" },
      });
      const thinking = { type: "disabled" };
      expect(requested({ ...body, model: "deepseek-reasoner", thinking }, dialect)).toMatchObject({
        thinking,
      });
      expect(requested({ ...body, model: "deepseek-reasoner" }, dialect)).toMatchObject({
        thinking: { type: "enabled" },
      });
    }
    const today = { model: "deepseek-v4-pro", messages };
    expect(requested(today, "openai-chat")).toBe(today);
  });

  it("Qwen's open models do not think without streaming", () => {
    expect(adjust(ali, { model: "qwen3-32b" })).toHaveProperty("enable_thinking", false);
    expect(adjust(ali, { model: "qwen3-32b" }, { stream: true })).not.toHaveProperty("enable_thinking");
    expect(adjust(ali, { model: "qwen-plus" })).not.toHaveProperty("enable_thinking");
  });

  it("MiniMax separates reasoning only for clients that cannot know its tags", () => {
    const body = { model: "MiniMax-M3", messages };
    expect(adjust(minimax, body, { translated: true })).toEqual({ ...body, reasoning_split: true });
    const wished = { ...body, reasoning_split: false };
    expect(adjust(minimax, wished, { translated: true })).toEqual(wished);
    expect(adjust(minimax, body)).toBe(body);
  });

  it("Spark receives the current model name", () => {
    expect(adjust(xunfei, { model: "SparkDesk-v3.5", messages })).toHaveProperty("model", "generalv3.5");
    const call: RequestShape = { model: "", stream: false, other: "", plugin: {} };
    expect(xunfei.headers("app|secret|key", call)).toEqual({ authorization: "Bearer key:secret" });
  });
});

describe("features that a channel enables", () => {
  it("search the web with Zhipu and Qwen, beside the caller's own tools", () => {
    const plugin = { web_search: { enable: true }, retrieval: { knowledge_id: "42" } };
    const own = { type: "function", function: { name: "f" } };
    const adjusted = adjust(zhipu, { model: "glm-4.6", tools: [own] }, { plugin });
    expect(adjusted?.["tools"]).toEqual([
      own,
      { type: "retrieval", retrieval: { knowledge_id: "42" } },
      { type: "web_search", web_search: { enable: true, search_engine: "search_std" } },
    ]);
    expect(adjust(ali, { model: "qwen-plus" }, { plugin })).toHaveProperty("enable_search", true);
    expect(adjust(ali, { model: "deepseek-v3.2" }, { plugin })).not.toHaveProperty("enable_search");
  });

  it("search the web with Perplexity, whose own models have another name there", () => {
    const plugin = { web_search: { enable: true } };
    const requested = (body: Wire) => adjust(perplexity, body, { dialect: "openai-responses", plugin });
    expect(requested({ model: "sonar", input: "Hi" })).toEqual({
      model: "perplexity/sonar",
      input: "Hi",
      tools: [{ type: "web_search" }],
    });
    const own = { model: "openai/gpt-5-mini", input: "Hi", tools: [] };
    expect(requested(own)).toBe(own);
  });

  it("run code with Gemini unless the caller sends functions", () => {
    const call = { dialect: "gemini" as const, plugin: { code_execution: { enable: true } } };
    expect(adjust(gemini, { contents: [] }, call)).toEqual({ contents: [], tools: [{ codeExecution: {} }] });
    const own = { contents: [], tools: [{ functionDeclarations: [] }] };
    expect(adjust(gemini, own, call)).toBe(own);
  });

  it("route OpenRouter by the model's provider, unless the client routes", () => {
    const plugin = {
      other: { provider: { anthropic: { order: ["Amazon Bedrock"], allow_fallbacks: false } } },
    };
    const body = { model: "anthropic/claude-sonnet-4.5", messages };
    expect(adjust(openrouter, body, { plugin })).toHaveProperty("provider.order", ["Amazon Bedrock"]);
    const routed = { ...body, provider: { only: ["anthropic"] } };
    expect(adjust(openrouter, routed, { plugin })).toBe(routed);
    expect(adjust(openrouter, { model: "openai/gpt-5", messages }, { plugin })).not.toHaveProperty(
      "provider",
    );
  });

  it("send Ollama the headers of the proxy in front of it", () => {
    const plugin = { headers: { "CF-Access-Client-Id": "id", "CF-Access-Client-Secret": "" } };
    expect(ollama.headers("", { model: "", stream: false, other: "", plugin })).toEqual({
      "cf-access-client-id": "id",
    });
  });
});

describe("realtime sessions in OpenAI's format", () => {
  it.each([
    [xai, "/v1/realtime?model=m"],
    [stepfun, "/v1/realtime?model=m"],
    [ali, "/api-ws/v1/realtime?model=m"],
  ])("are opened with $label where it supports them", (provider: Provider, path) => {
    const call: RequestShape = { model: "m", stream: false, other: "", plugin: {} };
    const standard = "/v1/realtime?model=m";
    expect(serves(provider, "realtime", "/v1/realtime", {})).toBe(true);
    expect(provider.path?.(call, standard) ?? standard).toBe(path);
  });
});

describe("a custom channel's paths", () => {
  const plugin = { customize: { "1": "/chat", "6": "disable", "16": "/resp" } };

  it("replace the standard paths", () => {
    const call: RequestShape = { model: "m", stream: false, other: "", plugin };
    expect(custom.path?.(call, "/v1/chat/completions")).toBe("/chat");
    expect(custom.path?.(call, "/v1/embeddings")).toBe("/v1/embeddings");
    expect(custom.speaks?.(call)).toEqual(["openai-chat", "openai-responses"]);
    expect(custom.speaks?.({ ...call, plugin: {} })).toEqual(["openai-chat"]);
  });

  it("disable single endpoints, and with chat all endpoints served through chat", () => {
    expect(serves(custom, "images", "/v1/images/edits", plugin)).toBe(false);
    expect(serves(custom, "images", "/v1/images/generations", plugin)).toBe(true);
    const off = { customize: { "1": "disable" } };
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"])
      expect(serves(custom, "chat", path, off)).toBe(false);
    expect(serves(custom, "embeddings", "/v1/embeddings", off)).toBe(true);
  });

  it("are rejected when they are not paths", () => {
    expect(custom.plugin?.safeParse({ customize: { "1": "chat" } }).success).toBe(false);
    expect(custom.plugin?.safeParse({ customize: { "1": "" } }).success).toBe(true);
  });
});
