/** Splits the messages of a language, so that a page does not load those of other parts of the site. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "vite";

/** @property begin files and folders whose texts the part has, with those of everything that they import */
/** @property after parts that are loaded before; their texts are left out */
type Part = { begin: string[]; after: string[] };

/** Parts with a list of their own. Every other part is the folder of a feature, loaded after the console. */
const special: Record<string, Part> = {
  home: { begin: ["src/main.tsx", "src/features/site/home-page.tsx"], after: [] },
  site: { begin: ["src/features/site"], after: ["home"] },
  login: { begin: ["src/features/session/login-page.tsx"], after: ["home"] },
  session: { begin: ["src/features/session"], after: ["home"] },
  console: { begin: ["src/app/console-routes.tsx", "src/app/first-screen.tsx"], after: ["home"] },
  usage: { begin: ["src/features/dashboard"], after: ["home", "console"] },
  channels: {
    begin: ["src/features/channels/channel-page.tsx", "src/features/channels/one-channel-page.tsx"],
    after: ["home", "console"],
  },
  "channel-parts": {
    begin: ["src/features/channels", "src/components/disabled-models"],
    after: ["home", "console", "channels"],
  },
  "audit-log": { begin: ["src/app/audit-log-screen.tsx"], after: ["home", "console"] },
  palette: {
    begin: ["src/app/command-palette.tsx", "src/app/shortcut-list.tsx"],
    after: ["home", "console"],
  },
};

const partNamed = (name: string): Part =>
  special[name] ?? { begin: [`src/features/${name}`], after: ["home", "console"] };

/** Error messages, which load with the first error. Those that a part names itself are in that part, too. */
const errors = {
  part: "errors",
  folder: "../../packages/shared/src/errors",
  loader: "src/lib/error-templates.ts",
};

/** Import pages and dialogs on demand, which bring their own part. Other dynamic imports belong to their page. */
const tables = new Set([
  "src/app/first-screen.tsx",
  "src/app/router.tsx",
  "src/app/screens.ts",
  "src/app/global-dialogs.tsx",
  "src/app/use-found.tsx",
  "src/features/channels/channel-page.tsx",
  "src/features/channels/one-channel-page.tsx",
  "src/features/inbox/bell.tsx",
]);

const requested = /\/locales\/\w+\.json\?part=([\w-]+)$/;

/**
 * Resolves `import messages from "/src/locales/en_US.json?part=home"` to the messages in the files of the first
 * page, `?part=logs` to those of the feature `logs`, and so on.
 * @param root folder that contains `src`
 */
export function splitMessages(root: string): Plugin {
  const known = new Map<string, Set<string>>();
  /** Returns the texts in quotes of a file. Each quote is tried as the first: comments have single ones. */
  function textsIn(file: string): Set<string> {
    let texts = known.get(file);
    if (texts === undefined) known.set(file, (texts = quotedIn(readFileSync(file, "utf8"))));
    return texts;
  }
  function sourcesOf(name: string): Set<string> {
    if (name === errors.part) return new Set(sourcesIn(root, errors.folder).map((path) => join(root, path)));
    return reachable(
      root,
      partNamed(name).begin.flatMap((path) => sourcesIn(root, path)),
    );
  }
  return {
    name: "split-messages",
    enforce: "pre",
    buildStart: () => known.clear(),
    watchChange: (file) => void known.delete(file),
    load(id) {
      const part = requested.exec(id)?.[1];
      if (!part) return null;
      const file = id.slice(0, id.indexOf("?"));
      const sources = sourcesOf(part);
      for (const source of [file, ...sources]) this.addWatchFile(source);
      const has = isNamedIn([...sources].map(textsIn));
      const before = part === errors.part ? [] : partNamed(part).after;
      const isLoaded = isNamedIn(before.flatMap((name) => [...sourcesOf(name)]).map(textsIn));
      const labels = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
      const chosen = Object.entries(labels).filter(([key]) => has(key) && !isLoaded(key));
      const text = JSON.stringify(JSON.stringify(Object.fromEntries(chosen)));
      // Browsers parse JSON in a string faster than an object literal.
      return { code: `export default JSON.parse(${text})`, moduleType: "js" };
    },
  };
}

function quotedIn(source: string): Set<string> {
  const found = new Set<string>();
  for (const [, double, single] of source.matchAll(/(?="((?:[^"\\\n]|\\.)*)")|(?='((?:[^'\\\n]|\\.)*)')/g)) {
    const text = double ?? single;
    if (text !== undefined) found.add(text);
  }
  return found;
}

function isNamedIn(files: ReadonlySet<string>[]): (key: string) => boolean {
  return (key) => {
    const text = key.replace(/_(zero|one|two|few|many|other)$/, "");
    // The formatter puts strings that contain double quotes in single quotes.
    const quoted = text.includes('"') ? text.replaceAll("'", "\\'") : JSON.stringify(text).slice(1, -1);
    return files.some((texts) => texts.has(quoted));
  };
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
 * Returns the file that an import names. Messages of fields, diagnostics and imports are defined in the shared
 * package, next to their codes.
 */
function sourceOf(root: string, importer: string, name: string): string {
  if (name.startsWith(sharedPackage))
    return join(root, sharedFolder, `${name.slice(sharedPackage.length)}.ts`);
  return name.startsWith("#") ? join(root, "src", name.slice(1)) : join(dirname(importer), name);
}

const sharedPackage = "@gateway/shared/";
const sharedFolder = "../../packages/shared/src";
const importedAtOnce =
  /\b(?:from |import )"([#.][^"]+\.tsx?|@gateway\/shared\/(?:errors\/fields|site\/(?:diagnosis|import-notes)))"/g;
const imported =
  /\b(?:from |import |import\()"([#.][^"]+\.tsx?|@gateway\/shared\/(?:errors\/fields|site\/(?:diagnosis|import-notes)))"/g;
