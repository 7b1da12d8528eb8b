import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { fieldReasons } from "@gateway/shared/errors/fields";
import { describe, expect, it } from "vitest";
import { messagesOf } from "#lib/locale-files.ts";
import { translateWith } from "#lib/translate.fixture.ts";
import { ChannelDraft, errorWithin, newDraft, providerFaults } from "./draft.ts";

const t = translateWith((text: string) => text);

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
  base_url: "https://provider.example",
};

/** Validates like the form: the provider's requirements, then the schema. */
function faults(values: object, providerName: ProviderInfo | undefined = provider): Record<string, string> {
  const draft = { ...good, ...values };
  const { error } = ChannelDraft.safeParse(draft);
  const schema = (error?.issues ?? []).map(({ path, message }): [string, string] => [
    path.join("."),
    message,
  ]);
  return { ...providerFaults(t, draft, providerName, false), ...Object.fromEntries(schema) };
}

const languages = ["zh_CN", "zh_HK", "en_US", "ja_JP"].map((language) => {
  return { language, labels: { ...messagesOf(language, "common"), ...messagesOf(language, "channels") } };
});

const wildcard = "model_wildcard";
const target = "mapping_target";
const url = "http_address";
const json = "json_text";
const messages: Readonly<Record<string, string>> = fieldReasons;
const pair = (key: string, value: string) => [{ key, value }];

const cases: [values: object, field: string, reason: string][] = [
  [{ name: " " }, "name", "name_required"],
  [{ name: "x".repeat(129) }, "name", "at_most_128"],
  [{ key: " " }, "key", "API key is required"],
  [{ base_url: "" }, "base_url", "API address is required"],
  [{ base_url: "provider.example" }, "base_url", url],
  [{ base_url: "ftp://provider.example" }, "base_url", url],
  [{ models: [] }, "models", "model_required"],
  [{ models: ["*"] }, "models.0", wildcard],
  [{ models: ["gpt-*-mini"] }, "models.0", wildcard],
  [{ groups: [] }, "groups", "group_required"],
  [{ priority: -1 }, "priority", "priority_negative"],
  [{ priority: 1.5 }, "priority", "whole_number_required"],
  [{ priority: 1_000_001 }, "priority", "at_most_1000000"],
  [{ weight: 0 }, "weight", "weight_too_small"],
  [{ model_mapping: null }, "model_mapping", json],
  [{ model_mapping: pair("", "gpt-4o") }, "model_mapping.0.key", "model_name_required"],
  [{ model_mapping: pair("gpt-*-mini", "gpt-4o") }, "model_mapping.0.key", wildcard],
  [{ model_mapping: pair("a", "+") }, "model_mapping.0.value", target],
  [{ model_mapping: [...pair("a", "b"), ...pair("a", "c")] }, "model_mapping.1.key", "mapped_twice"],
  [{ model_headers: null }, "model_headers", json],
  [{ model_headers: pair("", "1") }, "model_headers.0.key", "header_name_missing"],
  [{ model_headers: pair("x bad", "1") }, "model_headers.0.key", "header_name"],
  [{ model_headers: pair("x-ok", "1\n2") }, "model_headers.0.value", "header_value"],
  [{ model_headers: [...pair("x-a", "b"), ...pair("x-a", "c")] }, "model_headers.1.key", "header_twice"],
  [{ model_headers: [...pair("x-a", "b"), ...pair("X-A", "c")] }, "model_headers.1.key", "header_twice"],
  [{ model_headers: pair("Host", "x") }, "model_headers.0.key", "header_reserved"],
  [{ custom_parameter: null }, "custom_parameter", json],
  [{ custom_parameter: [1] }, "custom_parameter", "json_invalid"],
  [{ custom_parameter: { remove: "top_k" } }, "custom_parameter.remove", "field_names_required"],
  [{ custom_parameter: { overwrite: 1 } }, "custom_parameter.overwrite", "boolean_required"],
  [
    { custom_parameter: { per_model: true, temperature: 1 } },
    "custom_parameter.temperature",
    "per_model_objects",
  ],
  [{ proxy: "ssh://proxy.example" }, "proxy", "proxy_address"],
  [{ connect_timeout_ms: -1 }, "connect_timeout_ms", "not_negative"],
  [{ idle_timeout_ms: 4_000_000 }, "idle_timeout_ms", "at_most_an_hour"],
  [{ max_concurrency: 1.5 }, "max_concurrency", "whole_number_required"],
  [{ system_prompt: "x".repeat(20_001) }, "system_prompt", "at_most_20000"],
];

/** Messages of the console itself. */
const others = ["Channel type error", "Batch deletion failed with {{message}}"];

describe("the form of a channel", () => {
  it("accepts a valid channel", () => {
    expect(faults({})).toEqual({});
  });

  it.each(cases)("reports each error on its field: %j", (values, field, sentence) => {
    expect(faults(values)).toEqual({ [field]: sentence });
  });

  it("finds no provider of an unknown type", () => {
    expect(providerFaults(t, good, undefined, false)).toEqual({ type: "Channel type error" });
  });

  it.each(languages)("has a translation of every message in $language", ({ language, labels }) => {
    for (const sentence of [...others, ...cases.map(([, , reason]) => messages[reason] ?? reason)]) {
      expect(labels[sentence] ?? "", sentence).not.toBe("");
      if (language !== "en_US") expect(labels[sentence]).not.toBe(sentence);
    }
  });
});

describe("the API address", () => {
  const providerName = (base_url: string) => ({ ...provider, needs_base_url: false, base_url });

  it("starts as the provider's own, and must not be empty", () => {
    const own = providerName("https://api.provider.example");
    expect(newDraft(own, []).base_url).toBe("https://api.provider.example");
    expect(faults({ base_url: "" }, own)).toMatchObject({ base_url: "API address is required" });
  });

  it.each(["", "https://{region}.provider.example"])("may be empty when the provider's is %j", (address) => {
    expect(newDraft(providerName(address), []).base_url).toBe("");
    expect(faults({ base_url: "" }, providerName(address))).toEqual({});
  });
});

describe("the error of a JSON field", () => {
  it("names the place, also when leaving the field has repeated it without", () => {
    const inside = { "custom_parameter.overwrite": "It must be true or false" };
    const shown = "overwrite: It must be true or false";
    expect(errorWithin(inside, "custom_parameter")).toBe(shown);
    const both = { custom_parameter: "It must be true or false", ...inside };
    expect(errorWithin(both, "custom_parameter")).toBe(shown);
    expect(errorWithin({ custom_parameter: "Enter an object" }, "custom_parameter")).toBe("Enter an object");
  });
});
