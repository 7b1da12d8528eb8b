import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const sources = ["apps/server/src", "apps/web/src", "packages/shared/src", "packages/demo/src"];

/** Patterns that need more than linear time in theory, and why that is not a problem. */
const bounded: Record<string, string> = {
  "relay/core/upstream/scrub.ts": "texts are cut to 4,000 characters",
  "domain/channels/channel-secrets.ts": "values that an administrator entered",
  "answer/sentences.ts": "questions of at most 60 characters",
  "answer/pieces.ts": "always matches: white space that is followed by nothing is a piece of its own",
  "billing/money.ts": "the digits of a number",
  "lib/format/quota.ts": "the digits of a number",
};

/** What stands before each literal. Files without it need not be parsed, which takes most of the time. */
const beforeLiteral = /(?:[+!>=&|?:;,([{}]|\b(?:return|typeof|case|in|of|await|yield))\s*\/(?![/*>])/;

/** Returns the patterns of a file that take quadratic or exponential time for some text. */
function slowPatterns(file: string, text: string): string[] {
  if (!beforeLiteral.test(text)) return [];
  const found: string[] = [];
  const visitor = new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      const { pattern, flags } = node.regex;
      const { reports } = analyse(new RegExp(pattern, flags), { reportTypes: { Move: true } });
      if (reports.length > 0) found.push(`/${pattern}/${flags}`);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

it("regular expressions take linear time, so that no text of a client blocks the process", () => {
  for (const slow of ["/_+$/", "/(a+)+b/", "/a\\s*,\\s*\\s*b/"])
    expect(slowPatterns("a.ts", `const a = ${slow};`)).toHaveLength(1);
  const found = sources.flatMap((source) =>
    readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.|platform\/prisma/.test(file))
      .filter((file) => bounded[file] === undefined)
      .flatMap((file) =>
        slowPatterns(file, readFileSync(join(root, source, file), "utf8")).map((each) => `${file}: ${each}`),
      ),
  );
  expect(found).toEqual([]);
});
