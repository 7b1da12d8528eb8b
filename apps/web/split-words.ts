import { existsSync, readdirSync, readFileSync } from "node:fs";
/** Splits a language's words in two, so that a visitor of the public site does not load what only the console says. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

/** What a visitor can see before signing in, besides the program's start. */
const siteFolders = ["src/features/site", "src/features/session"];

const asked = /\/locales\/\w+\.json\?part=(site|console)$/;

/**
 * `import words from "/src/locales/en_US.json?part=site"`: the words that the public site's own files name.
 * `?part=console`: all others.
 * @param root where `src` is
 */
export function splitWords(root: string): Plugin {
  return {
    name: "split-words",
    enforce: "pre",
    async load(id) {
      const part = asked.exec(id)?.[1];
      if (!part) return null;
      const file = id.slice(0, id.indexOf("?"));
      const files = siteFiles(root);
      for (const watched of [file, ...files]) this.addWatchFile(watched);
      const sources = [...files].map((path) => readFileSync(path, "utf8")).join("\n");
      const words = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
      const chosen = Object.entries(words).filter(([key]) => isNamed(sources, key) === (part === "site"));
      const text = JSON.stringify(JSON.stringify(Object.fromEntries(chosen)));
      // A browser reads JSON in a string faster than an object literal.
      return { code: `export default JSON.parse(${text})`, moduleType: "js" };
    },
  };
}

function isNamed(sources: string, key: string): boolean {
  return sources.includes(JSON.stringify(key.replace(/_(zero|one|two|few|many|other)$/, "")));
}

/** The public pages and every file of ours that they import at once, not later. */
function siteFiles(root: string): Set<string> {
  const found = new Set<string>();
  const pages = siteFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const waiting = ["src/main.tsx", ...pages.filter((name) => name.endsWith(".tsx"))].map((name) =>
    join(root, name),
  );
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(path)) continue;
    found.add(path);
    const source = readFileSync(path, "utf8");
    for (const [, name = ""] of source.matchAll(/\b(?:from|import) "([#.][^"]+\.tsx?)"/g))
      waiting.push(name.startsWith("#") ? join(root, "src", name.slice(1)) : join(dirname(path), name));
  }
  return found;
}
