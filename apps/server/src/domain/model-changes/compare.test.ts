import { expect, it } from "vitest";
import { parseMapping } from "#domain/channels/selection/load-channels.ts";
import { compare } from "./compare.ts";

const compared = (models: string[], listed: string[], mapping: Record<string, string> = {}) =>
  compare({ models, mapping: parseMapping(mapping) }, listed);

it("finds listed names that the channel lacks, and models that the list lacks", () => {
  expect(compared(["gpt-4", "gpt-5"], ["gpt-5", "gpt-6"])).toEqual({
    offered: ["gpt-6"],
    missing: ["gpt-4"],
  });
});

it("compares the names that are forwarded, not the requested ones", () => {
  expect(
    compared(["fast", "or/o3"], ["gpt-5-mini", "o3", "o4"], { fast: "+gpt-5-mini", "or/*": "*" }),
  ).toEqual({ offered: ["o4"], missing: [] });
  expect(compared(["gpt-5"], ["gpt-5"], { "gpt-5": "gpt-6" })).toEqual({
    offered: ["gpt-5"],
    missing: ["gpt-5"],
  });
});

it("lets a pattern cover every name that it can request", () => {
  expect(compared(["gpt-*"], ["gpt-5", "o3"])).toEqual({ offered: ["o3"], missing: [] });
  expect(compared(["or/*"], ["gpt-5", "o3"], { "or/*": "*" })).toEqual({ offered: [], missing: [] });
  expect(compared(["my-*"], ["x-a-y", "x-y", "xy"], { "my-*": "x-*-y" })).toEqual({
    offered: ["x-y", "xy"],
    missing: [],
  });
});

it("accepts an alias of a dated version, and a date of an alias", () => {
  const listed = [
    "claude-sonnet-4-5-20250929",
    "gpt-5-2025-08-07",
    "llama3:latest",
    "claude-3-5-haiku-20241022",
  ];
  const models = ["claude-sonnet-4-5", "gpt-5", "llama3", "claude-3-5-haiku-latest"];
  expect(compared(models, listed).missing).toEqual([]);
  expect(compared(["claude-sonnet-4"], listed).missing).toEqual(["claude-sonnet-4"]);
});
