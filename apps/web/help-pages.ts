/** Builds the pages of Help from the Markdown files in docs/. No HTML leaves this file, so none can be injected. */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { marked, type Token, type Tokens } from "marked";
import type { Plugin } from "vite";
import { translatedVersion, versionOf } from "../../scripts/translated-docs.ts";
import type {
  Block,
  HelpEntry,
  HelpIndex,
  HelpLanguage,
  HelpPage,
  HelpSection,
  Inline,
} from "./src/features/help/content.ts";

const docs = resolve(import.meta.dirname, "../../docs");
const languages: HelpLanguage[] = ["en_US", "zh_CN"];
/** The group of docs/README.md that is not part of Help: pages for people who work on the code. */
const developers = "Develop";

const moduleId = "virtual:help";
const built = new RegExp(`^\0?${moduleId}/(\\w+)/([\\w-]+)$`);

/** `virtual:help` loads indexes and pages, each in a file of its own. */
export function helpPages(): Plugin {
  return {
    name: "help-pages",
    resolveId: (id) => (id === moduleId || built.test(id) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${moduleId}`) return loaders();
      const [, language, name] = built.exec(id) ?? [];
      if (name === undefined) return null;
      this.addWatchFile(fileOf(name, "en_US"));
      if (existsSync(fileOf(name, "zh_CN"))) this.addWatchFile(fileOf(name, "zh_CN"));
      const content =
        name === "README" ? helpIndex(asLanguage(language)) : helpPage(name, asLanguage(language));
      const text = JSON.stringify(JSON.stringify(content));
      // Browsers parse JSON in a string faster than an object literal.
      return `export default JSON.parse(${text})`;
    },
  };
}

function asLanguage(text: string | undefined): HelpLanguage {
  return languages.find((language) => language === text) ?? "en_US";
}

function loaders(): string {
  const load = (language: HelpLanguage, name: string) => `() => import("${moduleId}/${language}/${name}")`;
  const indexes = languages.map((language) => `${language}: ${load(language, "README")}`);
  const ids = helpIndex("en_US").flatMap((group) => group.pages.map((page) => page.id));
  const pages = languages.flatMap((language) =>
    ids
      .filter((id) => existsSync(fileOf(id, language)))
      .map((id) => `"${language}/${id}": ${load(language, id)}`),
  );
  return `export const indexes = { ${indexes.join(", ")} };\nexport const pages = { ${pages.join(", ")} };`;
}

function fileOf(name: string, language: HelpLanguage): string {
  return join(docs, language === "en_US" ? "" : language, `${name}.md`);
}

function read(name: string, language: HelpLanguage): string {
  return readFileSync(fileOf(name, language), "utf8");
}

type Row = { id: string; title: string; description: string };
type Listing = { title: string; rows: Row[] }[];

/** Reads the groups of docs/README.md, and the title and the description of each page, without formats. */
function listing(language: HelpLanguage): Listing {
  const groups: Listing = [];
  for (const line of existsSync(fileOf("README", language)) ? read("README", language).split("\n") : []) {
    const title = /^## (.+)$/.exec(line)?.[1];
    if (title !== undefined) groups.push({ title, rows: [] });
    const [, name, file = "", description = ""] =
      /^\| \[([^\]]+)\]\(([^)]+)\.md\) *\| (.*?) *\|$/.exec(line) ?? [];
    if (name === undefined) continue;
    groups
      .at(-1)
      ?.rows.push({ id: basename(file), title: name, description: description.replaceAll("`", "") });
  }
  return groups;
}

/** Returns the pages of Help by group, in the order of the English index. */
export function helpIndex(language: HelpLanguage): HelpIndex {
  const translated = listing(language);
  const groups = listing("en_US").filter((group) => group.title !== developers);
  return groups.map((group, place) => ({
    title: translated[place]?.title ?? group.title,
    pages: group.rows.map((row) => entryOf(row, language, translated)),
  }));
}

function entryOf(row: Row, wanted: HelpLanguage, translated: Listing): HelpEntry {
  const language = existsSync(fileOf(row.id, wanted)) ? wanted : "en_US";
  const own = translated.flatMap((group) => group.rows).find((each) => each.id === row.id);
  const english = read(row.id, "en_US");
  return {
    ...(language === "en_US" ? row : (own ?? row)),
    language,
    outdated: language !== "en_US" && translatedVersion(read(row.id, language)) !== versionOf(english),
    sections: sectionsOf(row.id, language),
  };
}

/** Returns the anchor that GitHub creates for a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

function headingsOf(text: string): Tokens.Heading[] {
  return marked.lexer(text).filter((token): token is Tokens.Heading => token.type === "heading");
}

/** Returns the anchors of a page in order, as GitHub creates them. */
function ownAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(text).map((heading) => {
    const slug = slugOf(plain(heading.tokens));
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** Returns the anchors that Help uses: those of the English page, if the translation has the same headings. */
function anchorsOf(name: string, language: HelpLanguage): string[] {
  const english = ownAnchors(read(name, "en_US"));
  if (language === "en_US") return english;
  const own = ownAnchors(read(name, language));
  return own.length === english.length ? english : own;
}

function sectionsOf(name: string, language: HelpLanguage): HelpSection[] {
  const anchors = anchorsOf(name, language);
  const sections: (Omit<HelpSection, "terms"> & { terms: Set<string> })[] = [];
  for (const token of marked.lexer(read(name, language))) {
    if (token.type === "heading") {
      const { tokens, depth } = token as Tokens.Heading;
      const id = anchors[sections.length] ?? "";
      sections.push({ id, title: plain(tokens), level: depth, terms: new Set() });
      continue;
    }
    void marked.walkTokens([token], (each) => {
      if (each.type === "codespan") sections.at(-1)?.terms.add((each as Tokens.Codespan).text);
    });
  }
  // The title is that of the page, which is found by its name.
  return sections.slice(1).map((section) => ({ ...section, terms: [...section.terms].join(" ") }));
}

/** Returns a page as data. */
export function helpPage(name: string, language: HelpLanguage): HelpPage {
  const anchors = anchorsOf(name, language);
  const reader: Reader = { file: fileOf(name, language), anchors };
  const [title, ...rest] = blocksOf(marked.lexer(read(name, language)), reader);
  if (title?.kind !== "heading") throw new Error(`docs: ${reader.file} must begin with a title.`);
  return { title: title.children.map(textOf).join(""), blocks: rest };
}

type Reader = {
  file: string;
  /** Anchors of the headings that come next. */
  anchors: string[];
};

function blocksOf(tokens: Token[], reader: Reader): Block[] {
  return tokens.flatMap((token) => blockOf(token, reader) ?? []);
}

function blockOf(token: Token, reader: Reader): Block | undefined {
  switch (token.type) {
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      return {
        kind: "heading",
        level: depth,
        id: reader.anchors.shift() ?? "",
        children: inline(tokens, reader),
      };
    }
    case "paragraph": {
      const children = inline((token as Tokens.Paragraph).tokens, reader);
      return children.length === 0 ? undefined : { kind: "paragraph", children };
    }
    case "text":
      return { kind: "line", children: inline((token as Tokens.Text).tokens ?? [token], reader) };
    case "code":
      return { kind: "code", text: (token as Tokens.Code).text };
    case "blockquote":
      return { kind: "quote", blocks: blocksOf((token as Tokens.Blockquote).tokens, reader) };
    case "list": {
      const { items, start } = token as Tokens.List;
      return {
        kind: "list",
        start: start === "" ? null : start,
        items: items.map((item) => blocksOf(item.tokens, reader)),
      };
    }
    case "table": {
      const { header, rows, align } = token as Tokens.Table;
      return {
        kind: "table",
        aligns: align,
        head: header.map((cell) => inline(cell.tokens, reader)),
        rows: rows.map((row) => row.map((cell) => inline(cell.tokens, reader))),
      };
    }
    default:
      // Spaces, comments and HTML are not part of Help.
      return undefined;
  }
}

/** Images are left out: they show the product on GitHub, and whoever reads Help sees the product. */
function inline(tokens: Token[], reader: Reader): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    switch (token.type) {
      case "text":
      case "escape":
        return [(token as Tokens.Text).text];
      case "codespan":
        return [{ kind: "code", text: (token as Tokens.Codespan).text }];
      case "br":
        return [{ kind: "break" }];
      case "strong":
        return [{ kind: "strong", children: inline((token as Tokens.Strong).tokens, reader) }];
      case "em":
        return [{ kind: "emphasis", children: inline((token as Tokens.Em).tokens, reader) }];
      case "link":
        return linkOf(token as Tokens.Link, reader);
      default:
        return [];
    }
  });
}

/** Links to files outside of Help become plain text. */
function linkOf({ href, tokens }: Tokens.Link, reader: Reader): Inline[] {
  const children = inline(tokens, reader);
  if (/^(https?|mailto):/.test(href)) return [{ kind: "outside", href, children }];
  const [file = "", anchor = ""] = href.split("#");
  const target = file === "" ? reader.file : resolve(dirname(reader.file), file);
  const language = languages.find((each) => fileOf(basename(target, ".md"), each) === target);
  const page = basename(target, ".md");
  const isListed = listing("en_US").some(
    ({ title, rows }) => title !== developers && rows.some((row) => row.id === page),
  );
  if (language === undefined || !isListed) return children;
  const place = ownAnchors(read(page, language)).indexOf(decodeURIComponent(anchor));
  return [{ kind: "page", page, anchor: anchorsOf(page, language)[place] ?? "", children }];
}

function textOf(part: Inline): string {
  if (typeof part === "string") return part;
  if (part.kind === "break") return " ";
  return part.kind === "code" ? part.text : part.children.map(textOf).join("");
}

function plain(tokens: Token[]): string {
  return tokens
    .map((token) => {
      const { tokens: children, text } = token as { tokens?: Token[]; text?: string };
      return children === undefined ? (text ?? "") : plain(children);
    })
    .join("");
}
