import { readFileSync } from "node:fs";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { describe, expect, it } from "vitest";
import { ChannelDraft, newDraft, providerFaults } from "./draft.ts";

const provider = {
  type: 8,
  needs_key: true,
  needs_base_url: true,
  models: ["gpt-4o"],
} as unknown as ProviderInfo;
const good: ChannelDraft = {
  ...newDraft(provider, ["default"]),
  name: "One",
  key: "sk-a-key",
  base_url: "https://vendor.example",
};

/** As the form does it: the provider's demands, then the schema's. */
function faults(values: object, providerName: ProviderInfo | undefined = provider): Record<string, string> {
  const draft = { ...good, ...values };
  const { error } = ChannelDraft.safeParse(draft);
  const schema = (error?.issues ?? []).map(({ path, message }): [string, string] => [
    path.join("."),
    message,
  ]);
  return { ...providerFaults(draft, providerName, false), ...Object.fromEntries(schema) };
}

const languages = ["zh_CN", "zh_HK", "en_US", "ja_JP"].map((language) => {
  const file = new URL(`../../../locales/${language}.json`, import.meta.url);
  return { language, labels: JSON.parse(readFileSync(file, "utf8")) as Record<string, string> };
});

const wildcard = "A wildcard * may only be the last character, after at least one other";
const target = "The target of a mapping must be a model name";
const url = "The address must be an http or https URL";
const json = "Must be a valid JSON string";
const pair = (key: string, value: string) => [{ key, value }];

const cases: [object, string, string][] = [
  [{ name: " " }, "name", "Name is required"],
  [{ name: "x".repeat(129) }, "name", "It cannot be longer than 128 characters"],
  [{ key: " " }, "key", "API key is required"],
  [{ base_url: "" }, "base_url", "API address is required"],
  [{ base_url: "vendor.example" }, "base_url", url],
  [{ base_url: "ftp://vendor.example" }, "base_url", url],
  [{ models: [] }, "models", "At least one model is required"],
  [{ models: ["*"] }, "models.0", wildcard],
  [{ models: ["gpt-*-mini"] }, "models.0", wildcard],
  [{ groups: [] }, "groups", "At least one group is required"],
  [{ priority: -1 }, "priority", "Priority cannot be less than 0"],
  [{ priority: 1.5 }, "priority", "It must be a whole number"],
  [{ priority: 1_000_001 }, "priority", "It cannot be more than 1000000"],
  [{ weight: 0 }, "weight", "Weight cannot be less than 1"],
  [{ model_mapping: null }, "model_mapping", json],
  [{ model_mapping: pair("", "gpt-4o") }, "model_mapping.0.key", "Model name is required"],
  [{ model_mapping: pair("gpt-*-mini", "gpt-4o") }, "model_mapping.0.key", wildcard],
  [{ model_mapping: pair("a", "+") }, "model_mapping.0.value", target],
  [
    { model_mapping: [...pair("a", "b"), ...pair("a", "c")] },
    "model_mapping.1.key",
    "This model is mapped twice",
  ],
  [{ model_headers: null }, "model_headers", json],
  [{ model_headers: pair("", "1") }, "model_headers.0.key", "The name of the header is missing"],
  [{ model_headers: pair("x bad", "1") }, "model_headers.0.key", "This is not the name of an HTTP header"],
  [
    { model_headers: pair("x-ok", "1\n2") },
    "model_headers.0.value",
    "This value has a character that cannot be sent",
  ],
  [
    { model_headers: [...pair("x-a", "b"), ...pair("x-a", "c")] },
    "model_headers.1.key",
    "This header is given twice",
  ],
  [{ custom_parameter: null }, "custom_parameter", json],
  [{ custom_parameter: [1] }, "custom_parameter", "Invalid JSON"],
  [{ custom_parameter: { remove: "top_k" } }, "custom_parameter.remove", "It must be a list of field names"],
  [{ custom_parameter: { overwrite: 1 } }, "custom_parameter.overwrite", "It must be true or false"],
  [
    { custom_parameter: { per_model: true, temperature: 1 } },
    "custom_parameter.temperature",
    "With per_model, every other entry must be an object of fields",
  ],
  [{ proxy: "ssh://proxy.example" }, "proxy", "The proxy must be an http, https or socks5 URL"],
  [{ connect_timeout_ms: -1 }, "connect_timeout_ms", "It cannot be less than 0"],
  [{ idle_timeout_ms: 4_000_000 }, "idle_timeout_ms", "It cannot be more than an hour"],
  [{ max_concurrency: 1.5 }, "max_concurrency", "It must be a whole number"],
  [{ system_prompt: "x".repeat(20_001) }, "system_prompt", "It cannot be longer than 20,000 characters"],
];

/** What the server alone can say of a channel, and what the screen says of its own. */
const others = [
  "Channel type error",
  "There is no such group.",
  "The address must not contain a user name or password.",
  "The address must end before any ? or #.",
  "Name a model to test with.",
  "Failed to get model list",
  "Batch deletion failed with {{message}}",
  'There is no group named "{{name}}".',
];

describe("the form of a channel", () => {
  it("takes one that is right", () => {
    expect(faults({})).toEqual({});
  });

  it.each(cases)("names what is wrong, on its field: %j", (values, field, sentence) => {
    expect(faults(values)).toEqual({ [field]: sentence });
  });

  it("knows no provider of an unknown type", () => {
    expect(providerFaults(good, undefined, false)).toEqual({ type: "Channel type error" });
  });

  it.each(languages)("has words for every sentence in $language", ({ language, labels }) => {
    for (const sentence of [...others, ...cases.map(([, , text]) => text)]) {
      expect(labels[sentence] ?? "", sentence).not.toBe("");
      if (language !== "en_US") expect(labels[sentence]).not.toBe(sentence);
    }
  });
});

describe("the API address", () => {
  const providerName = (base_url: string) => ({ ...provider, needs_base_url: false, base_url });

  it("begins as the provider's own, and must not be emptied", () => {
    const own = providerName("https://api.vendor.example");
    expect(newDraft(own, []).base_url).toBe("https://api.vendor.example");
    expect(faults({ base_url: "" }, own)).toMatchObject({ base_url: "API address is required" });
  });

  it.each(["", "https://{region}.vendor.example"])("may be empty where the provider's is %j", (address) => {
    expect(newDraft(providerName(address), []).base_url).toBe("");
    expect(faults({ base_url: "" }, providerName(address))).toEqual({});
  });
});
