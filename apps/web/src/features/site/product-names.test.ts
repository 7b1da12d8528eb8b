import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Other gateways. Visitors read about this one; the migration is for administrators and names what it imports. */
const others =
  /\b(one[ -]?hub|one[ -]?api|new[ -]api\b(?! key)|litellm|portkey|bifrost|kong|nextchat|lobechat)\b/i;

it.each(["site", "first-run", "logs", "channels", "dashboard", "playground"])(
  "the texts of %s name no other gateway",
  (namespace) => {
    const file = new URL(`../../locales/en_US/${namespace}.json`, import.meta.url);
    const texts = Object.values(JSON.parse(readFileSync(file, "utf8")) as Record<string, string>);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => others.test(text))).toEqual([]);
  },
);
