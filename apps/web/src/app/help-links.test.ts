import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Block, HelpLanguage, Inline } from "#features/help/content.ts";
import { nearest, nearestSection, searchHelp } from "#features/help/search.ts";
import { settingGroups } from "#features/settings/sections/fields.ts";
import { helpIndex, helpPage } from "../../help-pages.ts";

const languages: HelpLanguage[] = ["en_US", "zh_CN"];
const indexes = languages.map((language) => ({ language, index: helpIndex(language) }));
const english = helpIndex("en_US").flatMap((group) => group.pages);

/** Returns whether Help has this page, and the section if an anchor follows. */
function exists(address: string, pages = english): boolean {
  const [page = "", anchor = ""] = address.split("#");
  const entry = pages.find((each) => each.id === page);
  return entry !== undefined && (anchor === "" || entry.sections.some((section) => section.id === anchor));
}

const src = join(import.meta.dirname, "..");
const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(src, name), "utf8") }));

describe("links to Help in the console", () => {
  it("lead to pages and sections that exist", () => {
    const links = sources.flatMap(({ name, text }) =>
      [...text.matchAll(/\bhelp(?:=|: )"([^"]+)"|"\/panel\/help\/([^"]+)"/g)].map(([, one, other]) => ({
        name,
        link: one ?? other ?? "",
      })),
    );
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter(({ link }) => !exists(link))).toEqual([]);
  });

  it("exist in every section of the settings", () => {
    const sections = settingGroups.flatMap((group) => group.sections);
    expect(sections.filter(({ help }) => !exists(help)).map(({ id }) => id)).toEqual([]);
  });
});

function partsOf(blocks: Block[]): Inline[] {
  return blocks.flatMap((block): Inline[] => {
    if ("children" in block) return block.children;
    if (block.kind === "table") return [...block.head, ...block.rows.flat()].flat();
    if (block.kind === "list") return block.items.flatMap(partsOf);
    return block.kind === "quote" ? partsOf(block.blocks) : [];
  });
}

function pageLinks(parts: Inline[]): string[] {
  return parts.flatMap((part) => {
    if (typeof part === "string" || !("children" in part)) return [];
    return [...(part.kind === "page" ? [`${part.page}#${part.anchor}`] : []), ...pageLinks(part.children)];
  });
}

describe.each(indexes)("the pages in $language", ({ language, index }) => {
  const entries = index.flatMap((group) => group.pages);

  it("are those of the documentation, without those for developers", () => {
    expect(entries.map((entry) => entry.id)).toEqual(expect.arrayContaining(["getting-started", "settings"]));
    expect(entries.some((entry) => entry.id === "architecture")).toBe(false);
    expect(entries.filter((entry) => entry.title === "" || entry.description === "")).toEqual([]);
  });

  it("have text, and links to pages and sections that exist", () => {
    const broken = entries.flatMap((entry) => {
      const { title, blocks } = helpPage(entry.id, entry.language);
      expect(title).not.toBe("");
      expect(blocks.length).toBeGreaterThan(1);
      return pageLinks(partsOf(blocks))
        .filter((link) => !exists(link.replace(/#$/, ""), entries))
        .map((link) => `${language}/${entry.id}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  it("keep the anchors of the English pages where the translation is current", () => {
    for (const entry of entries.filter(({ outdated }) => !outdated)) {
      const original = english.find(({ id }) => id === entry.id);
      expect(entry.sections.map(({ id }) => id)).toEqual(original?.sections.map(({ id }) => id));
    }
  });
});

describe("the search", () => {
  const index = helpIndex("en_US");

  it.each([
    ["getting started", "getting-started", ""],
    ["RetryTimes", "routing", "when-an-attempt-fails"],
    ["price_missing", "billing", "set-prices"],
    ["telegram bot", "notifications", "telegram-bot"],
  ])("finds %s", (query, page, anchor) => {
    const hits = searchHelp(index, query).map((hit) => `${hit.page}#${hit.anchor}`);
    expect(hits).toContain(`${page}#${anchor}`);
  });

  it("returns nothing for no words and for unknown ones", () => {
    expect(searchHelp(index, "  ")).toEqual([]);
    expect(searchHelp(index, "xylophone")).toEqual([]);
  });
});

describe("the nearest page", () => {
  const near = (text: string) => nearest(text, english, (page) => [page.id, page.title])?.id;

  it.each([
    ["providrs", "providers"],
    ["get-started", "getting-started"],
    ["qqqq", undefined],
  ])("of %s is %s", (text, id) => {
    expect(near(text)).toBe(id);
  });
});

describe("the nearest section or page", () => {
  const [providers] = english.filter((page) => page.id === "providers");

  it.each([
    ["openai", "provider-openai", ""],
    ["amazon-bedrock", "provider-bedrock", ""],
    ["search-images-songs-and-videos", "provider-media", ""],
    ["model-change", "providers", "model-changes"],
    ["qqqq", undefined, undefined],
  ])("of providers#%s is %s", (anchor, page, section) => {
    if (providers === undefined) throw new Error("Help has no page of providers.");
    const found = nearestSection(anchor, providers, english);
    expect([found?.page, found?.anchor]).toEqual([page, section]);
  });
});
