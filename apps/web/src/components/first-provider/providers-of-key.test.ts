import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { describe, expect, it } from "vitest";
import { providersOfKey } from "./providers-of-key.ts";

const provider = (id: string, key_hint: string, group: ProviderInfo["group"] = "more") => ({
  id,
  key_hint,
  group,
});
const providers = [
  provider("openai", "sk-proj-…"),
  provider("anthropic", "sk-ant-…"),
  provider("openrouter", "sk-or-…"),
  provider("gemini", "AIza…"),
  provider("palm", "AIza…", "discontinued"),
  provider("groq", "gsk_…"),
  provider("xai", "xai-…"),
  provider("deepseek", "sk-…"),
  provider("moonshot", "sk-…"),
  provider("bedrock", "Region|APIKey or Region|AccessKeyID|SecretAccessKey|SessionToken"),
  provider("mistral", ""),
];
const of = (key: string) => providersOfKey(key, providers).map(({ id }) => id);

describe("the provider of a key", () => {
  it.each([
    ["sk-proj-abc", "openai"],
    ["sk-ant-api03-abc", "anthropic"],
    ["sk-or-v1-abc", "openrouter"],
    ["AIzaSyAbc", "gemini"],
    ["gsk_abc", "groq"],
    ["xai-abc", "xai"],
  ])("%s is recognised by its beginning", (key, id) => {
    expect(of(key)).toEqual([id]);
  });

  it("is a choice when several providers use the same form", () => {
    expect(of("sk-abc")).toEqual(["deepseek", "moonshot"]);
  });

  it("is unknown for other forms", () => {
    expect(of("abc")).toEqual([]);
    expect(of("")).toEqual([]);
  });
});
