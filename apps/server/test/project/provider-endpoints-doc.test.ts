/** docs/provider-endpoints.md matches the registry: this test generates its table. */
import { describe, expect, it } from "vitest";
import type { DialectId } from "#dialects/ir.ts";
import type { Endpoint, Provider } from "#providers/provider.ts";
import { openProviders } from "#providers/registry.ts";
import { expectTable } from "./generated-table.ts";

const letters: Partial<Record<DialectId, string>> = {
  "openai-chat": "C",
  "openai-responses": "R",
  anthropic: "M",
  gemini: "G",
};

/** Columns after chat. Responses are one of the dialects of chat. */
const columns: Record<string, Endpoint[]> = {
  completions: ["completions"],
  embeddings: ["embeddings"],
  moderations: ["moderations"],
  images: ["images"],
  audio: ["audio"],
  rerank: ["rerank"],
  realtime: ["realtime"],
  files: ["account"],
  caches: ["caches"],
  tasks: ["suno", "kling", "midjourney"],
};

const providers = [...openProviders().values()].filter(({ label }) => !/\b(?:ended|retired)\b/.test(label));

function rowOf({ label, dialects, endpoints, help }: Provider): string[] {
  const chat = endpoints.includes("chat") ? dialects.map((dialect) => letters[dialect] ?? "?") : [];
  const others = Object.values(columns).map((column) =>
    column.some((endpoint) => endpoints.includes(endpoint)) ? "yes" : "",
  );
  return [`[${label}](${help ?? "providers"}.md)`, chat.join(" "), ...others];
}

describe("the table of providers and endpoints", () => {
  it.each(["provider-endpoints.md", "zh_CN/provider-endpoints.md"])("of %s is current", (page) => {
    expectTable(page, "endpoints", [["", "chat", ...Object.keys(columns)], ...providers.map(rowOf)]);
  });

  it("has a column for each endpoint", () => {
    const known = new Set<Endpoint>(["chat", "responses", ...Object.values(columns).flat()]);
    expect(providers.flatMap(({ endpoints }) => endpoints.filter((each) => !known.has(each)))).toEqual([]);
  });
});
