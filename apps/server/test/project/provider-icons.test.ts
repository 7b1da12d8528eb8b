import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeProvider, openProviders } from "#providers/registry.ts";

/** The console bundles the icons it uses. A provider with another icon would get the neutral one. */
const console = readFileSync(
  new URL("../../../web/src/components/icons/provider-icon.tsx", import.meta.url),
  "utf8",
);
const bundled = new Set(
  [...console.matchAll(/\{([\w,]+)\}(?:-color)?\.svg/g)].flatMap((match) => match[1]?.split(",")),
);
const neutral = ["server"];

describe("provider icons", () => {
  it.each([...openProviders().values()].map((provider) => describeProvider(provider)))(
    "$label uses the bundled icon $icon",
    ({ icon }) => {
      expect(bundled.has(icon) || neutral.includes(icon)).toBe(true);
    },
  );
});
