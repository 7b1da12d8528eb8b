import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { translateWith } from "#lib/translate.fixture.ts";
import { actionText, entryLabels, targetLabels } from "./labels.ts";

const server = new URL("../../../../server/src/", import.meta.url);
const sources = readdirSync(server, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => readFileSync(new URL(path, server), "utf8"));
const translated = translateWith((key: string) => `<${key}>`);

it("names every action and target that the server records", () => {
  const actions = sources.flatMap((source) =>
    [...source.matchAll(/\baction: [^\n]*"[a-z_]+\.[a-z_-]+".*/g)].flatMap(([line]) =>
      [...line.matchAll(/"([a-z_]+\.[a-z_-]+)"/g)].map(([, action = ""]) => action),
    ),
  );
  const targets = sources.flatMap((source) =>
    [...source.matchAll(/\btargetType: "(\w+)"/g)].map(([, target = ""]) => target),
  );
  expect(actions).toContain("user.password");
  expect(actions.filter((action) => !actionText(translated, action).startsWith("<"))).toEqual([]);
  expect(targets).toContain("user");
  expect(targets.filter((target) => targetLabels[target] === undefined)).toEqual([]);
});

it("has no space between Chinese words", () => {
  const chinese: Record<string, string> = { Channel: "渠道", created: "已创建" };
  const entry = { target_type: "channel", action: "channel.create" };
  const english = translateWith((text: string) => text);
  expect(entryLabels(english, entry).join("")).toBe("Channel created");
  const t = translateWith((text: string) => chinese[text] ?? "");
  expect(entryLabels(t, entry).join("")).toBe("渠道已创建");
});
