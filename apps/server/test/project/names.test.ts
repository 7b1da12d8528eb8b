import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const packages = ["apps/server/src", "apps/web/src", "packages/demo/src", "packages/shared/src"];

interface Declaration {
  name: string;
  file: string;
  kind: "exported type" | "exported function" | "other function";
}

/** Returns the exported types and all functions of a package. Generated files and tests do not count. */
function declarationsOf(source: string): Declaration[] {
  return readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.|^platform\/prisma\//.test(file))
    .flatMap((file) => declarationsIn(file, readFileSync(join(root, source, file), "utf8")));
}

function declarationsIn(file: string, text: string): Declaration[] {
  const declarations: Declaration[] = [];
  const add = (kind: Declaration["kind"], id: { name: string } | null) => {
    if (id !== null) declarations.push({ name: id.name, file, kind });
  };
  new Visitor({
    ExportNamedDeclaration({ declaration }) {
      switch (declaration?.type) {
        case "TSInterfaceDeclaration":
        case "TSTypeAliasDeclaration":
        case "ClassDeclaration":
          return add("exported type", declaration.id);
        case "FunctionDeclaration":
          return add("exported function", declaration.id);
        default:
      }
    },
    FunctionDeclaration: ({ id }) => add("other function", id),
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init?.type === "ArrowFunctionExpression") add("other function", id);
    },
  }).visit(parseSync(file, text).program);
  return declarations;
}

const irregular =
  "begun bought brought built came caught chosen cut drawn driven found given gone heard held kept known left lost made meant met paid put read said seen sent set shown sold spelled spent split spoken taken told thought written";
const participle = new RegExp(`^([a-z]+ed|${irregular.split(" ").join("|")})$`);
/** Words that end in "ed" and are no participles. */
const exemptNames = new Set(["embed", "feed", "need", "seed", "speed"]);
/** Participles that are verbs as well. A function that no other module sees may have such a name. */
const verbs = new Set(["cut", "put", "read", "set", "split"]);

function isParticiple({ name, kind }: Declaration): boolean {
  const word = name.slice(0, 1).toLowerCase() + name.slice(1);
  return participle.test(word) && !exemptNames.has(word) && !(kind === "other function" && verbs.has(word));
}

describe("names", () => {
  it("finds a type that is declared twice, and a participle, also of a function inside another", () => {
    const [one, other] = ["a.ts", "b.ts"].map((file) => declarationsIn(file, "export interface Kept {}"));
    expect(repeatedTypes([...one!, ...other!])).toEqual(["Kept: a.ts, b.ts"]);
    const participlesIn = (text: string) =>
      declarationsIn("c.ts", text)
        .filter(isParticiple)
        .map(({ name }) => name);
    expect(
      participlesIn("export function found() {} export type Measured = 1; export class Kept {}"),
    ).toEqual(expect.arrayContaining(["found", "Measured", "Kept"]));
    expect(participlesIn("function read() { const found = () => 1; function named() {} }")).toEqual([
      "found",
      "named",
    ]);
    expect(participlesIn("export function embed() {} export class ParsedBody {} let found = 1;")).toEqual([]);
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

    it("no exported type and no function is named by a participle alone", () => {
      const refused = declarations.filter(isParticiple).map(({ name, file }) => `${file}: ${name}`);
      expect(refused).toEqual([]);
    });
  });
});

function repeatedTypes(declarations: readonly Declaration[]): string[] {
  const types = declarations.filter(({ kind }) => kind === "exported type");
  return [...Map.groupBy(types, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
}
