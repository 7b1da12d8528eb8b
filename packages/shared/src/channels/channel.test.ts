import { describe, expect, it } from "vitest";
import { ChannelEdit } from "./channel-batch.ts";
import { ChannelInput } from "./channel.ts";

const channel = { type: 8, name: "c", models: ["gpt-4o"], groups: ["default"] };

function sentences(input: unknown): string[] {
  return ChannelInput.safeParse(input).error?.issues.map((issue) => issue.message) ?? [];
}

describe("ChannelInput", () => {
  it("requires a name, models and groups, and names the missing one", () => {
    expect(sentences({ ...channel, name: " ", models: [], groups: [] })).toEqual([
      "name_required",
      "model_required",
      "group_required",
    ]);
  });

  it("rejects a negative priority and a weight below one", () => {
    expect(sentences({ ...channel, priority: -1, weight: 0 })).toEqual([
      "priority_negative",
      "weight_too_small",
    ]);
  });

  it("accepts http addresses and removes their trailing slashes", () => {
    expect(ChannelInput.parse({ ...channel, base_url: "https://api.example.com/v1//" }).base_url).toBe(
      "https://api.example.com/v1",
    );
    expect(sentences({ ...channel, base_url: "ftp://x" })).toEqual(["http_address"]);
  });

  it("limits its headers to what servers accept, one by one and together", () => {
    const headers = (lengths: number[]) => ({
      ...channel,
      model_headers: Object.fromEntries(lengths.map((length, n) => [`x-${n}`, "v".repeat(length)])),
    });
    expect(sentences(headers([4_000, 2_000]))).toEqual([]);
    expect(sentences(headers([5_000]))).toEqual(["header_too_long"]);
    expect(sentences(headers([4_000, 4_000]))).toEqual(["headers_too_long"]);
  });

  it("maps to model names, with + to bill the requested name", () => {
    expect(ChannelInput.safeParse({ ...channel, model_mapping: { a: "+b" } }).success).toBe(true);
    // Names of provider's deployments.
    for (const good of [
      "accounts/a/models/m#accounts/a/deployments/d",
      "arn:aws:bedrock:eu:1:profile/p",
      "@cf/a/b",
    ])
      expect(sentences({ ...channel, model_mapping: { a: good } }), good).toEqual([]);
    for (const bad of ["", "a\nb", "a\u202eb"])
      expect(sentences({ ...channel, model_mapping: { a: bad } }), bad).toEqual(["mapping_target"]);
  });

  it("accepts `*` only at the end of mapping keys, as in models", () => {
    for (const good of ["claude-*", "a*", " gpt-4o "])
      expect(sentences({ ...channel, model_mapping: { [good]: "b" } }), good).toEqual([]);
    for (const bad of ["claude-*-sonnet", "*-sonnet", "a**", "*"])
      expect(sentences({ ...channel, model_mapping: { [bad]: "b" } }), bad).toEqual(["model_wildcard"]);
    expect(sentences({ ...channel, model_mapping: { " ": "b" } })).toEqual(["model_name_required"]);
    expect(ChannelEdit.shape.model_mapping.safeParse({ mode: "add", values: { "a*b": "c" } }).success).toBe(
      false,
    );
  });
});
