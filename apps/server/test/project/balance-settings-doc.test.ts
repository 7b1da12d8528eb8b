import { readFileSync } from "node:fs";
import { isBalanceSetting } from "@gateway/shared/site/root-settings";
import { Settings } from "@gateway/shared/site/settings";
import { expect, it } from "vitest";

it.each(["users.md", "zh_CN/users.md"])("docs/%s names every setting that decides about balances", (path) => {
  const page = readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), "utf8");
  const keys = Object.keys(Settings.shape).filter(isBalanceSetting);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
