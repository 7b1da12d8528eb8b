import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { openProviders } from "#providers/registry.ts";
import {
  bedrockHost,
  betasIn,
  selectForwardedHeaders,
  foundryHost,
  hostLimits,
  vertexHost,
} from "./messages-hosts.ts";

const claudeCode =
  "claude-code-20250219,interleaved-thinking-2025-05-14, prompt-caching-scope-2026-01-05,advanced-tool-use-2025-11-20";
const hosts = { bedrock: bedrockHost, vertex: vertexHost, "azure-foundry": foundryHost };
const names = Object.keys(hosts) as Array<keyof typeof hosts>;
const provider = (id: string) => {
  const found = [...openProviders().values()].find((each) => each.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};

const call = (betas: readonly string[] = []) => ({
  model: "claude-sonnet-4-5",
  stream: false,
  dialect: "anthropic" as const,
  other: "",
  plugin: {},
  betas,
});

describe("beta features of the Messages API", () => {
  it("reach a host by its own names, and only those that it knows", () => {
    const sent = (id: string) =>
      betasIn(selectForwardedHeaders(provider(id), { "anthropic-beta": claudeCode }));
    expect(sent("bedrock")).toEqual([
      "interleaved-thinking-2025-05-14",
      "tool-search-tool-2025-10-19",
      "tool-examples-2025-10-29",
    ]);
    expect(sent("vertex")).toEqual(["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"]);
    expect(sent("azure-foundry")).not.toContain("claude-code-20250219");
    expect(sent("anthropic").join()).toBe(claudeCode);
  });

  it("are no header when the host knows none of them", () => {
    for (const id of names)
      expect(selectForwardedHeaders(provider(id), { "anthropic-beta": "unknown-2030-01-01" })).toEqual({});
  });
});

describe.each(names)("a body for Claude at %s", (id) => {
  const limits = hostLimits(hosts[id]);
  const tool = { name: "f", input_schema: { type: "object" } };

  it("is the same object when there is nothing to change", () => {
    const body = {
      tools: [tool],
      system: "x",
      messages: [{ role: "user", content: [{ type: "text", text: "x" }] }],
    };
    expect(limits(body, call())).toBe(body);
  });

  it("has no fields of tools whose feature was not requested from the host", () => {
    const body = {
      tools: [
        {
          ...tool,
          defer_loading: true,
          input_examples: [],
          allowed_callers: [],
          eager_input_streaming: true,
        },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference", tool_name: "f" }] },
          ],
        },
      ],
    };
    expect(limits(body, call())).toEqual({
      tools: [tool],
      messages: [
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "Tool: f" }] }],
        },
      ],
    });
  });

  it("keeps them when the feature was requested from the host", () => {
    const body = { tools: [{ ...tool, defer_loading: true }] };
    expect(limits(body, call(["tool-search-tool-2025-10-19"]))).toBe(body);
  });

  it("has no scope of caching without that feature, in the system prompt, tools and messages", () => {
    const scoped = { cache_control: { type: "ephemeral", scope: "global" } };
    const body: Wire = {
      system: [{ type: "text", text: "x", ...scoped }],
      tools: [{ ...tool, ...scoped }],
      messages: [{ role: "user", content: [{ type: "text", text: "x", ...scoped }] }],
    };
    expect(JSON.stringify(limits(body, call()))).not.toContain("scope");
  });

  it("has only the flags and fields that the host knows", () => {
    const body = {
      anthropic_beta: ["claude-code-20250219", "context-1m-2025-08-07"],
      speed: "fast",
      messages: [],
    };
    expect(limits(body, call())).toEqual({ anthropic_beta: ["context-1m-2025-08-07"], messages: [] });
  });
});
