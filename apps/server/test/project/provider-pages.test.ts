/** What the console shows about a provider: its icon, and its page of the documentation. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demo } from "#providers/definitions/demo.ts";
import { describeProvider, openProviders } from "#providers/registry.ts";

const root = join(import.meta.dirname, "../../../..");
const providers = [...openProviders().values(), demo("http://127.0.0.1:1")];

describe("the icon of a provider", () => {
  const source = readFileSync(join(root, "apps/web/src/components/icons/provider-icon.tsx"), "utf8");
  const included = [...source.matchAll(/\{([\w,]+)\}(?:-color)?\.svg/g)].flatMap(([, names = ""]) =>
    names.split(","),
  );

  it.each(providers.filter(({ icon }) => icon !== undefined && icon !== "server"))(
    "$id is one that the console includes",
    ({ icon }) => {
      expect(included).toContain(icon);
    },
  );
});

describe("the page about a provider", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => /^provider-.*\.md$/.test(name));
  /** Ids of the providers that each page lists in the second column of its first table. */
  const documented = pages.flatMap((page) => {
    const text = readFileSync(join(root, "docs", page), "utf8");
    const [table = ""] = /(?:^\|.*\n)+/m.exec(text) ?? [];
    return table.split("\n").flatMap((row) => {
      const ids = row.split("|")[2]?.matchAll(/`([\w-]+)`/g) ?? [];
      return [...ids].map(([, id = ""]) => ({ page: page.slice(0, -".md".length), id }));
    });
  });

  it("lists all providers of this page", () => {
    expect(documented.length).toBeGreaterThan(50);
    const helpOf = new Map(providers.map((provider) => [provider.id, describeProvider(provider).help]));
    expect(documented.filter(({ page, id }) => helpOf.get(id) !== page)).toEqual([]);
  });

  it.each(providers.map((provider) => describeProvider(provider)))("of $id exists", ({ help }) => {
    const [page = "", section] = help.split("#");
    const text = readFileSync(join(root, `docs/${page}.md`), "utf8");
    if (section !== undefined) expect(text).toMatch(new RegExp(`^#+ ${section}$`, "im"));
  });
});
