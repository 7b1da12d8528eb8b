import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { targetLabels } from "./labels.ts";
import { hasSentence } from "./sentence.ts";

const server = new URL("../../../../server/src/", import.meta.url);
const sources = readdirSync(server, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => readFileSync(new URL(path, server), "utf8"));

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
  expect(actions.filter((action) => !hasSentence(action))).toEqual([]);
  expect(targets).toContain("user");
  expect(targets.filter((target) => targetLabels[target] === undefined)).toEqual([]);
});
