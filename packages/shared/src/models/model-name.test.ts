import { describe, expect, it } from "vitest";
import { NewDerivedKeyRestrictions } from "#accounts/derived-key.ts";
import { TokenChange, TokenInput, TokenSetting } from "#accounts/token.ts";
import { PriceGroupInput, PriceInput } from "#billing/price.ts";
import { ChannelEdit } from "#channels/channel-batch.ts";
import { ChannelInput } from "#channels/channel.ts";
import { ModelPattern } from "./model-name.ts";

/** What no call can name: it would change the path of a request, or looks like another name. */
const unusable = [
  "gpt%2f4",
  "gpt-4?x",
  "gpt-4#1",
  "gpt\\4",
  "../gpt-4",
  "a//b",
  "/gpt-4",
  "gpt-4/",
  "gpt\u00004",
  "gpt\n4",
  "gpt\u202e4",
  "gpt\u200b4",
  "gpt\u00a04",
];
const usable = [
  "gpt-4o",
  "openai/gpt-4o:free",
  "@cf/meta/llama-3",
  "ep-20250101-abc",
  "arn:aws:bedrock:eu-west-1:1:inference-profile/a.b",
  "qwen2.5 coder",
  "模型-1",
];

const price = { type: "tokens", channel_type: 1, input: 1, output: 1 };
const channel = { type: 8, name: "c", models: ["gpt-4o"], groups: ["default"] };
const limit = (name: string, enabled = true) => ({
  limits: { limit_model_setting: { enabled, models: [name] } },
});

/** Every place in which a model is stored by its name. */
const places: Record<string, (name: string) => boolean> = {
  channel: (name) => ChannelInput.safeParse({ ...channel, models: [name] }).success,
  mapping: (name) => ChannelInput.safeParse({ ...channel, model_mapping: { [name]: "x" } }).success,
  "many channels": (name) => ChannelEdit.safeParse({ models: { mode: "add", values: [name] } }).success,
  price: (name) => PriceInput.safeParse({ ...price, model: name }).success,
  prices: (name) => PriceGroupInput.safeParse({ models: [name], price }).success,
  token: (name) => TokenInput.safeParse({ name: "t", setting: limit(name) }).success,
  "change of a token": (name) => TokenChange.safeParse({ setting: limit(name) }).success,
  "derived key": (name) => NewDerivedKeyRestrictions.safeParse({ models: [name] }).success,
};

describe("the name of a model", () => {
  it.each(Object.entries(places))("of a %s is one that calls can use", (_place, accepts) => {
    for (const name of usable) expect(accepts(name), name).toBe(true);
    for (const name of unusable) expect(accepts(name), JSON.stringify(name)).toBe(false);
  });

  it("has no spaces at its ends", () => {
    expect(ModelPattern.parse(" gpt-4o ")).toBe("gpt-4o");
    expect(places["token"]?.(" gpt-4o")).toBe(false);
  });

  it("ends with a wildcard after at least one other character, or has none", () => {
    for (const good of ["gpt-4o", "gpt-4*", "a*", "openrouter/*"])
      expect(ModelPattern.safeParse(good).success, good).toBe(true);
    for (const bad of ["*", "*gpt", "gpt*4", "gpt**", ""])
      expect(ModelPattern.safeParse(bad).success, bad).toBe(false);
  });

  it("is readable where it was stored before, and in a limit that is off", () => {
    for (const name of unusable) {
      expect(TokenSetting.safeParse(limit(name)).success).toBe(true);
      expect(TokenInput.safeParse({ name: "t", setting: limit(name, false) }).success).toBe(true);
    }
  });
});
