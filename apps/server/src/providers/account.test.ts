import { describe, expect, it } from "vitest";
import { azureDatabricks } from "./definitions/cloud/azure-databricks.ts";
import { bedrock } from "./definitions/cloud/bedrock.ts";
import { cloudflare } from "./definitions/cloud/cloudflare.ts";
import { github } from "./definitions/cloud/github.ts";
import { deepseek } from "./definitions/deepseek.ts";
import { recraft } from "./definitions/media/recraft.ts";
import { moonshot } from "./definitions/moonshot.ts";
import { openrouter } from "./definitions/openrouter.ts";
import { siliconflow } from "./definitions/siliconflow.ts";
import { stepfun } from "./definitions/stepfun.ts";
import { readModelList } from "./model-list.ts";
import type { Provider } from "./provider.ts";

/** Returns the model names in a provider's list; the formats are those that the definitions name. */
function names(provider: Provider, answer: unknown): string[] | undefined {
  return provider.listing === "none" ? undefined : provider.listing?.read?.(answer);
}

describe("lists of models", () => {
  it("are read in every provider's format", () => {
    expect(readModelList({ object: "list", data: [{ id: "gpt-4o", object: "model" }] })).toEqual(["gpt-4o"]);
    expect(readModelList([{ id: "a/b", type: "chat" }])).toEqual(["a/b"]);
    expect(readModelList({ models: [{ name: "models/gemini-2.5-pro" }] })).toEqual(["gemini-2.5-pro"]);
    expect(readModelList({ models: [{ name: "command-a" }], next_page_token: "" })).toEqual(["command-a"]);
    expect(names(github, [{ id: "openai/gpt-4.1", publisher: "OpenAI" }])).toEqual(["openai/gpt-4.1"]);
    expect(names(cloudflare, { success: true, result: [{ name: "@cf/x/y" }] })).toEqual(["@cf/x/y"]);
    expect(names(bedrock, { modelSummaries: [{ modelId: "amazon.nova-pro-v1:0" }] })).toEqual([
      "amazon.nova-pro-v1:0",
    ]);
    expect(names(azureDatabricks, { endpoints: [{ name: "dbrx", state: {} }] })).toEqual(["dbrx"]);
  });

  it("are not found in an invalid response", () => {
    for (const answer of [undefined, null, {}, { data: "x" }, "text"])
      expect(() => readModelList(answer)).toThrow();
  });
});

describe("balances", () => {
  it.each([
    [
      deepseek,
      { is_available: true, balance_infos: [{ currency: "CNY", total_balance: "110.00" }] },
      110,
      "CNY",
    ],
    [moonshot, { code: 0, data: { available_balance: 49.5, cash_balance: 3 }, status: true }, 49.5, "CNY"],
    [siliconflow, { code: 20000, data: { balance: "0.88", totalBalance: "88.88" } }, 88.88, "CNY"],
    [openrouter, { data: { total_credits: 100.5, total_usage: 25.25 } }, 75.25, "USD"],
    [stepfun, { object: "account", type: "prepaid", balance: 14.5 }, 14.5, "CNY"],
    [recraft, { credits: 1500, email: "a@b.example" }, 1.5, "USD"],
  ] as const)("are read from $label's response", (provider: Provider, answer, amount, currency) => {
    const { balance } = provider;
    if (balance === undefined || balance === "openai-billing") throw new Error("reads no answer of its own");
    expect(balance.read(answer)).toEqual({ amount, currency });
    expect(() => balance.read({ error: "no" })).toThrow();
  });
});
