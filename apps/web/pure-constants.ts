/**
 * Lets the bundler drop constants that are not used, although a call builds them: the schemas of the shared package on
 * a page that uses another constant of the same module, and the router's components for forms and servers.
 */
import type { Plugin } from "vite";

const pure = /\/packages\/shared\/src\/.*\.ts$|\/react-router\/dist\/production\//;

type Node = { type: string; start: number; end: number };
type Edit = Node & { as: (code: string) => string };

export function pureConstants(): Plugin {
  return {
    name: "pure-constants",
    apply: "build",
    transform(code, id) {
      if (!pure.test(id)) return null;
      let marked = code;
      // From the end, so that the positions before stay valid.
      for (const { start, end, as } of this.parse(code).body.flatMap(editsOf).toReversed())
        marked = marked.slice(0, start) + as(marked.slice(start, end)) + marked.slice(end);
      return { code: marked, map: null, moduleSideEffects: false };
    },
  };
}

/** Marks the values of constants of a statement that calls build. Drops names for debugging, which keep a constant. */
function editsOf(statement: Node): Edit[] {
  const { declaration, declarations, expression } = statement as Node & {
    declaration?: Node | null;
    declarations?: { init: Node | null }[];
    expression?: Node & { left?: { property?: { name?: string } } };
  };
  if (statement.type === "ExportNamedDeclaration") return declaration ? editsOf(declaration) : [];
  if (expression?.left?.property?.name === "displayName") return [{ ...statement, as: () => ";" }];
  if (statement.type !== "VariableDeclaration" || declarations === undefined) return [];
  return declarations.flatMap(({ init }) =>
    init !== null && built.has(init.type)
      ? [{ ...init, as: (value: string) => `/* @__PURE__ */ (() => (${value}))()` }]
      : [],
  );
}

const built: ReadonlySet<string> = new Set([
  "CallExpression",
  "NewExpression",
  "ObjectExpression",
  "ArrayExpression",
]);
