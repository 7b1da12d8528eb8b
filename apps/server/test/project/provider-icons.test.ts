import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeProvider, openProviders } from "#providers/registry.ts";

/** The console bundles the icons it names; a provider whose icon is not among them would get the neutral one. */
const console = readFileSync(
  new URL("../../../web/src/components/provider-icon.tsx", import.meta.url),
  "utf8",
);
const bundled = new Set(
  [...console.matchAll(/\{([\w,]+)\}(?:-color)?\.svg/g)].flatMap((match) => match[1]?.split(",")),
);
const neutral = ["server"];

describe("the icons of providers", () => {
  it.each([...openProviders().values()].map((provider) => describeProvider(provider)))(
    "$label is drawn with $icon",
    ({ icon }) => {
      expect(bundled.has(icon) || neutral.includes(icon)).toBe(true);
    },
  );
});
