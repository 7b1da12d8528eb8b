import { expect, it } from "vitest";
import { shortName } from "./short-name.ts";

it.each([
  ["claude-sonnet-5", "claude-sonnet-5"],
  ["a".repeat(24), "a".repeat(24)],
  ["a".repeat(50), `${"a".repeat(23)}…`],
  ["渠".repeat(12), "渠".repeat(12)],
  ["渠".repeat(50), `${"渠".repeat(11)}…`],
  ["W".repeat(50), `${"W".repeat(15)}…`],
  ["قناة".repeat(12), `${"قناة".repeat(12).slice(0, 23)}…`],
])("a label of the flow chart has the width of its column: %s", (name, shown) => {
  expect(shortName(name)).toBe(shown);
});
