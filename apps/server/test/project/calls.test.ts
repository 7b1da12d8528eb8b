import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../src", import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith("platform/prisma"))
  .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));

/** The stages of a call, and the interfaces that extend one. */
const stage =
  /^(?:export )?interface ((?:Received|Planned|Routed|Cached|Ended)Call|\w+ extends (?:Received|Chat)Call|Plan|RouteGroup|PricedTarget|SessionBudget)(?:<.*>)? \{\n([\s\S]*?)^\}/gm;

/** Names that variables with a stage of a call have. */
const assigned =
  /(?:^|[^.\w])(?:call|received|requested|planned|plan|routed|ended|sent|target)\.\w+(?:\.\w+)* (?:\?\?|\|\||[-+*])?= |Object\.assign\((?:call|received|planned|routed)\b/g;

describe("a call", () => {
  it("has stages with readonly fields only", () => {
    const stages = sources.flatMap(({ file, text }) =>
      [...text.matchAll(stage)].map(([, name = "", fields = ""]) => ({ file, name, fields })),
    );
    expect(stages.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "ReceivedCall",
        "PlannedCall",
        "RoutedCall",
        "EndedCall",
        "ChatCall extends ReceivedCall",
        "PlainCall extends ReceivedCall",
      ]),
    );
    const changeable = stages.flatMap(({ file, name, fields }) =>
      [...fields.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => `${file}: ${field} of ${name}`),
    );
    expect(changeable).toEqual([]);
  });

  it("is not changed: a later stage is another value", () => {
    const changes = sources
      .filter(({ file }) => /^(gateway|relay|jobs)\//.test(file))
      .flatMap(({ file, text }) => (text.match(assigned) ?? []).map((found) => `${file}: ${found.trim()}`));
    expect(changes).toEqual([]);
  });
});

/** Signatures that may have a value or a promise of it, with the reason. */
const eitherAllowed: Record<string, string> = {
  "console/compat/plugin/route.ts": "handlers, which Fastify awaits",
  "start/parts.ts": "parts of the process, most of which open at once",
};

describe("a function", () => {
  it("returns a value or a promise, not one or the other", () => {
    const either = /\| Promise<|Promise<[^;=()\n]*> \| (?!undefined)\w|instanceof Promise\b/;
    const files = sources.filter(({ text }) => either.test(text)).map(({ file }) => file);
    expect(files.sort()).toEqual(Object.keys(eitherAllowed));
  });
});
