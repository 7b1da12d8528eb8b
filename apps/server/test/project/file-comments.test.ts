import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const sources = ["apps/server/src", "apps/web/src", "packages/shared/src", "packages/demo/src"];

/** Returns whether the comment of a file, which is about no declaration, stands below an import. */
function hasLowComment(file: string, text: string): boolean {
  const { program, comments } = parseSync(file, text);
  const imports = program.body.filter(({ type }) => type === "ImportDeclaration");
  const [first, last] = [imports[0], imports.at(-1)];
  if (first === undefined || last === undefined) return false;
  const next = program.body.find(({ start }) => start > last.end)?.start ?? text.length;
  return comments
    .filter(({ type, start, end }) => type === "Block" && start > first.start && end < next)
    .some(({ end }) => end < last.start || /^\s*\n\s*\n/.test(text.slice(end)));
}

it("the comment of a file stands above its imports", () => {
  expect(hasLowComment("a.ts", 'import "b";\n/** About. */\nimport "c";\n')).toBe(true);
  expect(hasLowComment("a.ts", 'import "b";\n\n/** About. */\n\nconst c = 1;\n')).toBe(true);
  expect(hasLowComment("a.ts", '/** About. */\nimport "b";\n\n/** One. */\nconst c = 1;\n')).toBe(false);
  const low = sources.flatMap((source) =>
    readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes("prisma"))
      .filter((file) => hasLowComment(file, readFileSync(join(root, source, file), "utf8"))),
  );
  expect(low).toEqual([]);
});
