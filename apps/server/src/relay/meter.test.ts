import { expect, it } from "vitest";
import type { Usage } from "#dialects/ir.ts";
import { meter } from "./meter.ts";

it.each<[string, Usage]>([
  ["tokens", { input: 2_000_000_000, output: 1 }],
  ["calls of its tools", { input: 1, output: 1, toolCalls: { "web-search": 2_000_000 } }],
])("a vendor that says more %s than can be billed is not believed", (_, vendor) => {
  const { usage, estimated } = meter(vendor, true, { narrow: 8, wide: 0 }, { input: 7, output: 100 });
  expect({ usage, estimated }).toEqual({ usage: { input: 7, output: 2 }, estimated: true });
});
