/** Splits a language's words, so that no one loads what only other parts of the site say. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "vite";

/** What a reader meets one after the other, and where each part's files begin. Whatever remains is the last part. */
const starts: Record<string, string[]> = {
  home: ["src/main.tsx"],
  site: ["src/features/site", "src/features/session"],
  console: ["src/app/console-routes.tsx", "src/features/dashboard"],
};
const lastPart = "screens";

/** They import every page when it is visited; what others import later belongs to their page. */
const tables = new Set(["src/app/router.tsx", "src/app/screens.ts"]);

const requested = /\/locales\/\w+\.json\?part=(\w+)$/;

/**
 * `import words from "/src/locales/en_US.json?part=home"`: the words that the files of the first page name.
 * `?part=site`: what the other public pages name besides, and so on.
 * @param root where `src` is
 */
export function splitMessages(root: string): Plugin {
  return {
    name: "split-messages",
    enforce: "pre",
    async load(id) {
      const part = requested.exec(id)?.[1];
      if (!part) return null;
      const file = id.slice(0, id.indexOf("?"));
      this.addWatchFile(file);
      const texts = Object.entries(starts).map(([name, begin]) => {
        const sources = reachable(
          root,
          begin.flatMap((path) => sourcesIn(root, path)),
        );
        for (const source of sources) this.addWatchFile(source);
        return { name, text: [...sources].map((source) => readFileSync(source, "utf8")).join("\n") };
      });
      const partOf = (key: string) => texts.find(({ text }) => isNamed(text, key))?.name ?? lastPart;
      const labels = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
      const chosen = Object.entries(labels).filter(([key]) => partOf(key) === part);
      const text = JSON.stringify(JSON.stringify(Object.fromEntries(chosen)));
      // A browser reads JSON in a string faster than an object literal.
      return { code: `export default JSON.parse(${text})`, moduleType: "js" };
    },
  };
}

function isNamed(sources: string, key: string): boolean {
  return sources.includes(JSON.stringify(key.replace(/_(zero|one|two|few|many|other)$/, "")));
}

/** @param path a file, or a folder with all its files */
function sourcesIn(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => join(path, name));
}

/** These files and all of ours that they import, at once or later. */
function reachable(root: string, begin: string[]): Set<string> {
  const found = new Set<string>();
  const waiting = begin.map((name) => join(root, name));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(path)) continue;
    found.add(path);
    const imports = tables.has(relative(root, path)) ? importedAtOnce : imported;
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(imports))
      waiting.push(name.startsWith("#") ? join(root, "src", name.slice(1)) : join(dirname(path), name));
  }
  return found;
}

const importedAtOnce = /\b(?:from |import )"([#.][^"]+\.tsx?)"/g;
const imported = /\b(?:from |import |import\()"([#.][^"]+\.tsx?)"/g;
