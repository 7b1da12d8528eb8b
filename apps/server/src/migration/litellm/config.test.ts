import { expect, it } from "vitest";
import { parseLitellmConfig } from "./config.ts";

it("a LiteLLM configuration that nests too deep is refused before it is parsed", () => {
  for (const text of [
    `model_list: ${"[".repeat(100_000)}`,
    `model_list: ${"{a: ".repeat(100_000)}`,
    `model_list:\n  ${"- ".repeat(50_000)}`,
    `? ${"? ".repeat(50_000)}`,
  ])
    expect(() => parseLitellmConfig(text, "config.yaml")).toThrow("more than 200 levels");
});

it("a LiteLLM configuration may contain brackets in its texts", () => {
  const text =
    "model_list:\n  - model_name: 'a[1]{2}'\n    litellm_params: { model: openai/gpt-5, tags: [a, [b]] }\n";
  expect(parseLitellmConfig(text, "config.yaml").models).toHaveLength(1);
});
