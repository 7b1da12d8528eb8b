import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const sources = ["apps/server/src", "apps/web/src", "packages/shared/src", "packages/demo/src"];

/**
 * Returns whether the comment of a file, which is about no declaration, stands below an import. Reads imports and comments
 * only: reading the whole tree of each file takes three times as long.
 */
function hasLowComment(file: string, text: string): boolean {
  const { module, comments } = parseSync(file, text);
  const [first, last] = [module.staticImports[0], module.staticImports.at(-1)];
  if (first === undefined || last === undefined) return false;
  let end = last.end;
  return comments.some((comment) => {
    if (comment.start < first.start) return false;
    if (comment.start < last.end) return comment.type === "Block";
    // Below the imports, up to the first statement.
    if (text.slice(end, comment.start).trim() !== "") return false;
    end = comment.end;
    return comment.type === "Block" && /^\s*\n\s*\n/.test(text.slice(end));
  });
}

it("the comment of a file stands above its imports", () => {
  expect(hasLowComment("a.ts", 'import "b";\n/** About. */\nimport "c";\n')).toBe(true);
  expect(hasLowComment("a.ts", 'import "b";\n\n/** About. */\n\nconst c = 1;\n')).toBe(true);
  expect(hasLowComment("a.ts", '/** About. */\nimport "b";\n\n/** One. */\nconst c = 1;\n')).toBe(false);
  expect(hasLowComment("a.ts", 'import "b";\nconst c = 1;\n\n/** One. */\n\nconst d = 1;\n')).toBe(false);
  const low = sources.flatMap((source) =>
    readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes("prisma"))
      .filter((file) => hasLowComment(file, readFileSync(join(root, source, file), "utf8"))),
  );
  expect(low).toEqual([]);
});
