/**
 * Leaves out parts of libraries that the console does not use, and that the bundler cannot recognize as unused: see
 * unused-code.ts. Each list is for one version. With another one the build fails, because the list has to be checked.
 */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { libraries, type Library } from "./unused-code.ts";

export function leanLibraries(lists: readonly Library[] = libraries): Plugin {
  const seen = new Set<Library>();
  return {
    name: "lean-libraries",
    apply: "build",
    enforce: "pre",
    buildStart: () => seen.clear(),
    transform(code, id) {
      const library = lists.find(({ file }) => file.test(id));
      if (library === undefined) return null;
      const { name, version } = library;
      const found = versionOf(id, name);
      if (found !== version)
        this.error(`unused-code.ts lists what is unused of ${name} ${version}. Check the list for ${found}.`);
      seen.add(library);
      return { code: leanCode(library, code, (text) => this.parse(text)), map: null };
    },
    buildEnd(error) {
      const absent = lists.find((library) => !seen.has(library));
      if (!error && absent)
        this.error(`unused-code.ts: ${String(absent.file)} is no file of ${absent.name}.`);
    },
  };
}

/** Returns the code of a library without its unused parts. */
export function leanCode(
  { functions = [], edits }: Library,
  code: string,
  parse: (code: string) => { body: readonly object[] },
): string {
  const lean = withoutBodies(code, functions, parse(code).body);
  return edits.reduce((text, [pattern, by]) => replaced(text, pattern, by), lean);
}

function versionOf(id: string, name: string): string {
  const folder = id.slice(0, id.lastIndexOf(`/${name}/`) + name.length + 2);
  return (JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string }).version;
}

function replaced(text: string, pattern: RegExp, by: string): string {
  if (text.search(pattern) < 0) throw new Error(`${String(pattern)} is not in the library.`);
  return text.replace(pattern, by);
}

type Block = { start: number; end: number };
type Method = { key?: { name?: string }; value?: { body?: Block } };
type Statement = { type: string; id?: { name: string }; body?: Block & { body?: Method[] } };

/** Returns the bodies of a function at the top level, or of the methods of a class, by name. */
function bodiesOf({ type, id, body }: Statement): [string, Block][] {
  if (!id || !body) return [];
  if (type === "FunctionDeclaration") return [[id.name, body]];
  if (type !== "ClassDeclaration") return [];
  return (body.body ?? []).flatMap(({ key, value }): [string, Block][] =>
    key?.name && value?.body ? [[`${id.name}.${key.name}`, value.body]] : [],
  );
}

function withoutBodies(code: string, names: readonly string[], statements: readonly object[]): string {
  const found = (statements as Statement[]).flatMap(bodiesOf).filter(([name]) => names.includes(name));
  const absent = names.filter((name) => !found.some(([other]) => other === name));
  if (absent.length > 0) throw new Error(`${absent.join(", ")} is not in the library.`);
  let lean = code;
  // From the end, so that the positions before stay valid.
  for (const [, { start, end }] of found.toReversed()) lean = `${lean.slice(0, start)}{}${lean.slice(end)}`;
  return lean;
}
