/** Splits the messages of a language, so that a page does not load those of other parts of the site. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "vite";

/**
 * Parts in the order in which users reach them, and the first files of each. Everything else is in the last
 * part.
 */
const starts: Record<string, string[]> = {
  home: ["src/main.tsx", "src/features/site/home-page.tsx"],
  site: ["src/features/site", "src/features/session"],
  console: [
    "src/app/console-routes.tsx",
    "src/app/first-screen.tsx",
    "src/features/dashboard",
    "src/features/overview",
  ],
};
const lastPart = "screens";

/** Error messages, which load with the first error. Those that a part names itself are in that part, too. */
const errors = {
  part: "errors",
  folder: "../../packages/shared/src/errors",
  loader: "src/lib/error-templates.ts",
};

/** Route tables, which import pages and dialogs on demand. Other dynamic imports belong to their page. */
const tables = new Set([
  "src/app/router.tsx",
  "src/app/screens.ts",
  "src/app/late-dialogs.tsx",
  "src/features/inbox/bell.tsx",
]);

const requested = /\/locales\/\w+\.json\?part=(\w+)$/;

/**
 * Resolves `import words from "/src/locales/en_US.json?part=home"` to the messages in the files of the first
 * page. `?part=site` adds those of the other public pages, and so on.
 * @param root folder that contains `src`
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
      const inErrors = await namesIn(root, errors.folder, (file) => this.addWatchFile(file));
      const inSources = await namesIn(root, "src", (file) => this.addWatchFile(file));
      const isOnlyError = (key: string) => isNamed(inErrors, key) && !isNamed(inSources, key);
      const partOf = (key: string) =>
        texts.find(({ text }) => isNamed(text, key))?.name ?? (isOnlyError(key) ? errors.part : lastPart);
      const labels = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
      const chosen = Object.entries(labels).filter(([key]) =>
        part === errors.part ? isNamed(inErrors, key) : partOf(key) === part,
      );
      const text = JSON.stringify(JSON.stringify(Object.fromEntries(chosen)));
      // Browsers parse JSON in a string faster than an object literal.
      return { code: `export default JSON.parse(${text})`, moduleType: "js" };
    },
  };
}

/** Returns the text of all files in a folder. */
async function namesIn(root: string, folder: string, watch: (file: string) => void): Promise<string> {
  const files = sourcesIn(root, folder).map((name) => join(root, name));
  files.forEach(watch);
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
}

function isNamed(sources: string, key: string): boolean {
  const text = key.replace(/_(zero|one|two|few|many|other)$/, "");
  // The formatter puts strings that contain double quotes in single quotes.
  return sources.includes(text.includes('"') ? `'${text.replaceAll("'", "\\'")}'` : JSON.stringify(text));
}

/** @param path a file, or a folder with all its files */
function sourcesIn(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => join(path, name));
}

/** Returns these files and all project files that they import, statically or dynamically. */
function reachable(root: string, begin: string[]): Set<string> {
  const found = new Set<string>();
  const waiting = begin.map((name) => join(root, name));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(path)) continue;
    found.add(path);
    const imports = tables.has(relative(root, path)) ? importedAtOnce : imported;
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(imports)) {
      const file = sourceOf(root, path, name);
      if (file !== join(root, errors.loader)) waiting.push(file);
    }
  }
  return found;
}

/**
 * Returns the file that an import names. Forms also load the messages of their fields, which are defined next
 * to their reasons.
 */
function sourceOf(root: string, importer: string, name: string): string {
  if (name === fieldMessages) return join(root, errors.folder, "fields.ts");
  return name.startsWith("#") ? join(root, "src", name.slice(1)) : join(dirname(importer), name);
}

const fieldMessages = "@gateway/shared/errors/fields";
const importedAtOnce = /\b(?:from |import )"([#.][^"]+\.tsx?|@gateway\/shared\/errors\/fields)"/g;
const imported = /\b(?:from |import |import\()"([#.][^"]+\.tsx?|@gateway\/shared\/errors\/fields)"/g;
