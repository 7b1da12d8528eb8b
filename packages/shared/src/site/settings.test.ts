import { expect, it } from "vitest";
import { Settings } from "./settings.ts";

const accepts = (key: string, value: string) => Settings.partial().safeParse({ [key]: value }).success;

it.each(["Logo", "TopUpLink", "ChatLink"])("%s cannot be an address that runs code", (key) => {
  for (const address of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//",
  ])
    expect(accepts(key, address), address).toBe(false);
  expect(accepts(key, "https://example.com/a.png")).toBe(true);
  expect(accepts(key, "")).toBe(true);
});

it("HomeBlocks takes the parts of the home page and nothing else", () => {
  for (const list of ["", "models", "models,example"]) expect(accepts("HomeBlocks", list), list).toBe(true);
  for (const list of ["prices", "models,", "models,models"])
    expect(accepts("HomeBlocks", list), list).toBe(false);
});
