// pnpm i18n:stale [commit]: lists translations that are older than their English text.
// - Texts of the console: the English text changed since the commit (default HEAD), the translation did not.
// - Pages of the documentation: the English page changed since it was translated, or has no translation.
// pnpm i18n:stale --translated <page> …: records that docs/zh_CN/<page>.md translates the current English page.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./steps.mjs";
import { translatedVersion, versionOf, withVersion } from "./translated-docs.ts";

const locales = "apps/web/src/locales";
const languages = ["zh_CN", "zh_HK", "ja_JP"];
const docs = join(root, "docs");
const translated = join(docs, "zh_CN");

/** Returns the messages of a language in all namespaces, now or at a commit; {} when the commit lacks them. */
function messages(language, commit) {
  const folder = `${locales}/${language}`;
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 100_000_000 });
  const texts =
    commit === undefined
      ? readdirSync(join(root, folder)).map((name) => readFileSync(join(root, folder, name), "utf8"))
      : git("ls-tree", "--name-only", commit, `${folder}/`)
          .split("\n")
          .filter(Boolean)
          .map((path) => git("show", `${commit}:${path}`));
  return Object.assign({}, ...texts.map((text) => JSON.parse(text)));
}

/** Returns a line per text whose English changed and whose translation did not. The English text is the key. */
function staleTexts(commit) {
  const english = messages("en_US");
  const before = messages("en_US", commit);
  const removed = Object.keys(before).filter((key) => !(key in english));
  return languages.flatMap((language) => {
    const now = messages(language);
    const then = messages(language, commit);
    const former = new Map(removed.map((key) => [then[key], before[key]]));
    return Object.entries(english).flatMap(([key, text]) => {
      const line = (old) => `${language}: “${now[key]}”\n    was: ${old}\n    is:  ${text}`;
      if (key in before) return before[key] !== text && then[key] === now[key] ? line(before[key]) : [];
      return former.has(now[key]) ? line(former.get(now[key])) : [];
    });
  });
}

function stalePages() {
  const names = (folder) => readdirSync(folder).filter((name) => name.endsWith(".md"));
  const index = readFileSync(join(docs, "README.md"), "utf8");
  const ofUsers = index.slice(0, index.indexOf("## Develop"));
  return names(docs)
    .filter((name) => name === "README.md" || ofUsers.includes(`](${name})`))
    .flatMap((name) => {
      const path = join(translated, name);
      if (!existsSync(path)) return `docs/${name} is not translated`;
      const isCurrent =
        translatedVersion(readFileSync(path, "utf8")) === versionOf(readFileSync(join(docs, name), "utf8"));
      return isCurrent ? [] : `docs/zh_CN/${name} is older than docs/${name}`;
    });
}

function recordTranslated(pages) {
  for (const page of pages) {
    const path = join(translated, `${page}.md`);
    const english = readFileSync(join(docs, `${page}.md`), "utf8");
    writeFileSync(path, withVersion(`${page}.md`, readFileSync(path, "utf8"), english));
  }
}

const [first, ...more] = process.argv.slice(2);
if (first === "--translated") recordTranslated(more);
else {
  const found = [...staleTexts(first ?? "HEAD"), ...stalePages()];
  for (const line of found) console.log(line);
  console.log(`${found.length} translations are older than their English text, or missing.`);
}
