import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const packages = ["apps/server/src", "apps/web/src", "packages/demo/src", "packages/shared/src"];

interface Declaration {
  name: string;
  file: string;
  kind: "type" | "function";
}

/** Returns the exported types and functions of a package. Generated files and tests do not count. */
function declarationsOf(source: string): Declaration[] {
  return readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.|^platform\/prisma\//.test(file))
    .flatMap((file) => exportsOf(file, readFileSync(join(root, source, file), "utf8")));
}

function exportsOf(file: string, text: string): Declaration[] {
  return parseSync(file, text).program.body.flatMap((statement): Declaration[] => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return [];
    const { declaration } = statement;
    switch (declaration.type) {
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
      case "ClassDeclaration":
        return declaration.id === null ? [] : [{ name: declaration.id.name, file, kind: "type" }];
      case "FunctionDeclaration":
        return declaration.id === null ? [] : [{ name: declaration.id.name, file, kind: "function" }];
      default:
        return [];
    }
  });
}

const irregular =
  "begun bought brought built came caught chosen cut drawn driven found given gone heard held kept known left lost made meant met paid put read said seen sent set shown sold spelled spent split spoken taken told thought written";
const participle = new RegExp(`^([a-z]+ed|${irregular.split(" ").join("|")})$`);
/** Words that end in "ed" and are no participles. */
const exemptNames = new Set(["embed", "feed", "need", "seed", "speed"]);

function isParticiple(name: string): boolean {
  const word = name.slice(0, 1).toLowerCase() + name.slice(1);
  return participle.test(word) && !exemptNames.has(word);
}

describe("names", () => {
  it("finds a type that is declared twice, and a participle", () => {
    const [one, other] = ["a.ts", "b.ts"].map((file) => exportsOf(file, "export interface Kept {}"));
    expect(repeatedTypes([...one!, ...other!])).toEqual(["Kept: a.ts, b.ts"]);
    expect(["Kept", "found", "Measured"].every(isParticiple)).toBe(true);
    expect(["need", "embed", "readSettings", "ParsedBody"].some(isParticiple)).toBe(false);
  });

  describe.each(packages)("%s", (source) => {
    let declarations: Declaration[];
    beforeAll(() => {
      declarations = declarationsOf(source);
    });

    it("each exported type name exists once", () => {
      expect(declarations.length).toBeGreaterThan(50);
      expect(repeatedTypes(declarations)).toEqual([]);
    });

    it("no exported type or function is named by a participle alone", () => {
      const refused = declarations
        .filter(({ name }) => isParticiple(name))
        .map(({ name, file }) => `${file}: ${name}`);
      expect(refused).toEqual([]);
    });
  });
});

function repeatedTypes(declarations: readonly Declaration[]): string[] {
  const types = declarations.filter(({ kind }) => kind === "type");
  return [...Map.groupBy(types, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
}
