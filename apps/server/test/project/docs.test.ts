/** The documentation: links have targets, names exist, and examples run. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { clients } from "@gateway/shared/connect/clients";
import { KEY_PLACEHOLDER } from "@gateway/shared/connect/connection";
import { errorStatus } from "@gateway/shared/errors";
import { defaultSettings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeProvider, openProviders } from "#providers/registry.ts";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";
import { translatedVersion, versionOf } from "../../../../scripts/translated-docs.ts";

const root = resolve(import.meta.dirname, "../../../..");
const docs = join(root, "docs");
const run = promisify(execFile);

interface Page {
  path: string;
  text: string;
}

/** Translations have the same file names. */
const translations = join(docs, "zh_CN");

async function markdownIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
}

async function readPages(): Promise<Page[]> {
  const names = (await Promise.all([docs, translations, join(docs, "decisions")].map(markdownIn))).flat();
  const others = ["README.md", "README.zh_CN.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(
    (name) => join(root, name),
  );
  return Promise.all(
    [...names, ...others].map(async (path) => ({ path, text: await readFile(path, "utf8") })),
  );
}

const pages = await readPages();
const pageAt = (path: string) => pages.find((page) => page.path === path);
const named = (name: string) => pageAt(join(docs, name))?.text ?? "";

/** Returns the anchor that GitHub creates for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

function anchorsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? "")));
}

function linksOf({ text }: Page): string[] {
  const found = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
  return found.map(([, target]) => target ?? "");
}

describe("the settings of clients", () => {
  const connection = {
    baseUrl: "https://gateway.example",
    model: "demo-chat",
    key: KEY_PLACEHOLDER,
    contextWindow: "128000",
  };
  const documented = clients.filter(({ kind, id }) => kind === "agent" || id === "continue");

  it.each(documented)("contain the files of $id", ({ parts }) => {
    for (const part of parts(connection))
      if (part.kind === "file") expect(named("clients.md")).toContain(part.content);
  });
});

describe("links", () => {
  it("lead to files and headings that exist", async () => {
    const broken: string[] = [];
    for (const page of pages) {
      for (const link of linksOf(page)) {
        const [file = "", anchor = ""] = link.split("#");
        const target = file === "" ? page.path : resolve(dirname(page.path), file);
        const text =
          pageAt(target)?.text ??
          (await readFile(target)
            .then(String)
            .catch(() => undefined));
        const isThere = text !== undefined || (await readdir(target).catch(() => undefined)) !== undefined;
        if (!isThere || (anchor !== "" && !anchorsOf(text ?? "").has(anchor)))
          broken.push(`${relative(root, page.path)}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("reach every page from the index", () => {
    const linked = new Set(linksOf({ path: docs, text: named("README.md") }));
    const missing = pages
      .filter(({ path }) => dirname(path) === docs)
      .map(({ path }) => relative(docs, path))
      .filter((name) => name !== "README.md" && !linked.has(name));
    expect(missing).toEqual([]);
  });
});

describe("the repository", () => {
  it("has one address, which package.json states", async () => {
    const stated = /github\.com\/([\w-]+)\/gateway\.git/.exec(
      await readFile(join(root, "package.json"), "utf8"),
    )?.[1];
    expect(stated).toBeDefined();
    const address = /(?:github\.com|ghcr\.io|github\/v\/release)\/([\w-]+)\/gateway\b/g;
    // A product in docs/comparison.md whose repository has the same name.
    const known = new Set([stated, "Portkey-AI"]);
    const wrong = pages.flatMap(({ path, text }) =>
      [...text.matchAll(address)]
        .filter(([, owner]) => !known.has(owner))
        .map(([found]) => `${relative(root, path)}: ${found}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the README", () => {
  it("has the same headings, table rows and code in both languages", () => {
    const [english = "", chinese = ""] = ["README.md", "README.zh_CN.md"].map(
      (name) => pageAt(join(root, name))?.text,
    );
    expect(headings(chinese)).toEqual(headings(english));
    expect(tableRows(chinese)).toBe(tableRows(english));
    expect(codeBlocks(chinese)).toEqual(codeBlocks(english));
  });
});

describe("names", () => {
  it("of all error codes are listed, with their status", () => {
    const rows = [...named("troubleshooting.md").matchAll(/^\| (`[^|]+`) +\| +(\d{3}) \|/gm)];
    const listed = rows.flatMap(([, codes = "", status]) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)] as const),
    );
    const sorted = (pairs: readonly (readonly [string | undefined, number])[]) =>
      pairs.map(([code, status]) => `${code} ${status}`).toSorted();
    expect(sorted(listed)).toEqual(sorted(Object.entries(errorStatus)));
  });

  it("of settings exist", () => {
    const operators = [
      "routing",
      "billing",
      "limits",
      "users",
      "sign-in",
      "payments",
      "notifications",
      "monitoring",
    ];
    const unknown = operators.flatMap((page) =>
      [...named(`${page}.md`).matchAll(/`([A-Z][a-z]+[A-Z][A-Za-z]+)`/g)]
        .map(([, setting]) => setting ?? "")
        .filter((setting) => !Object.hasOwn(defaultSettings, setting))
        .map((setting) => `${page}: ${setting}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe("the page of settings", () => {
  /** Sign-in, mail and notification settings are described on their own pages. */
  const elsewhere: [RegExp, string][] = [
    [/^(GitHub|Lark|WeChat|OIDC)/, "sign-in.md"],
    [/^(Notify|SMTP|TelegramBot)/, "notifications.md"],
  ];
  const placeOf = (setting: string) =>
    elsewhere.find(([pattern]) => pattern.test(setting))?.[1] ?? "settings.md";

  it.each(["", "zh_CN/"])("or that of its subject in docs/%s names every setting", (folder) => {
    const missing = Object.keys(defaultSettings)
      .map((setting) => ({ setting, page: `${folder}${placeOf(setting)}` }))
      .filter(({ setting, page }) => !named(page).includes(`\`${setting}\``));
    expect(missing).toEqual([]);
  });

  it("states the defaults of switches and numbers", () => {
    const wrong: string[] = [];
    for (const [, name = "", shown = ""] of named("settings.md").matchAll(
      /^\| `(\w+)` +\| +([^|]+?) +\|/gm,
    )) {
      const value: unknown = Object.entries(defaultSettings).find(([key]) => key === name)?.[1];
      if (typeof value === "boolean" && shown !== (value ? "on" : "off")) wrong.push(`${name}: ${shown}`);
      const scale = name.endsWith("Ms") ? 1000 : 1;
      const stated = Number.parseFloat(shown.replace(/^\$/, ""));
      if (typeof value === "number" && stated !== value / scale) wrong.push(`${name}: ${shown}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("the pages of providers", () => {
  const families = pages.filter(({ path }) => /^provider-[a-z-]+\.md$/.test(relative(docs, path)));
  const rows = families.flatMap(({ text }) => {
    // The first table lists the providers of the family.
    const [table = ""] = /(?:^\|.*\n)+/m.exec(text) ?? [];
    return table.split("\n");
  });
  const row = (label: string, website: string) =>
    rows.find((line) => line.startsWith(website === "" ? `| ${label} ` : `| [${label}](${website}) `));
  const current = [...openProviders().values()]
    .map(describeProvider)
    .filter(({ label }) => !/\b(ended|retired)\b/.test(label));

  it.each(current)(
    "state type, credential and website of $label",
    ({ label, key_hint: hint, ...provider }) => {
      const { id, type, website } = provider;
      const found = row(label, website)?.replaceAll("\\|", "|");
      expect(found).toContain(`| \`${id}\`, ${type} `);
      for (const part of hint.split(/,? or /)) expect(found?.replaceAll("`", "")).toContain(part);
    },
  );

  it.each(current)("include $label in the list of families", ({ label }) => {
    const list = named("providers.md")
      .split("\n")
      .filter((line) => line.includes("](provider-"));
    expect(list.some((line) => line.includes(` ${label},`) || line.includes(` ${label} `))).toBe(true);
  });
});

describe("the changelog", () => {
  const text = pageAt(join(root, "CHANGELOG.md"))?.text ?? "";
  const entries: string[] = text.match(/^- .*(?:\n {2}\S.*)*/gm) ?? [];

  // A merge of branches can bring back entries that were reworded or removed.
  it("has each entry once, in at most two lines", () => {
    expect(entries.length).toBeGreaterThan(100);
    const long = entries.filter((entry) => entry.split("\n").length > 2);
    const repeated = entries.filter((entry, at) => entries.indexOf(entry) !== at);
    expect([...long, ...repeated]).toEqual([]);
  });
});

interface Example {
  name: string;
  language: string;
  code: string;
}

const codeBlocks = (text: string) => text.match(/^```[\s\S]*?^```$/gm) ?? [];
const headings = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^(#+) /gm)].map(([, level]) => level);
const tableRows = (text: string) => (text.match(/^\|/gm) ?? []).length;

describe("translations", () => {
  const translated = pages.filter(({ path }) => dirname(path) === translations);

  it("name the version of the English page that they translate", () => {
    const unnamed = translated.filter(({ text }) => translatedVersion(text) === undefined);
    expect(unnamed.map(({ path }) => relative(root, path))).toEqual([]);
    expect(translated.length).toBeGreaterThan(10);
  });

  // `pnpm i18n:stale` lists those that are older than their page. They may differ until they are translated again.
  const current = translated.flatMap(({ path, text }) => {
    const name = relative(translations, path);
    const english = named(name);
    return translatedVersion(text) === versionOf(english) ? [{ name, text, english }] : [];
  });

  it.each(current)("of $name have the headings, tables and code of the English page", ({ text, english }) => {
    expect(headings(text)).toEqual(headings(english));
    expect(tableRows(text)).toBe(tableRows(english));
    expect(codeBlocks(text)).toEqual(codeBlocks(english));
  });
});

/** Code is the same in every language, so only the English examples run. */
const english = pages.filter(({ path }) => dirname(path) !== translations);
const examples: Example[] = english.flatMap(({ path, text }) =>
  [...text.matchAll(/^```(sh|js) run\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""], index) => ({
    name: `${relative(root, path)}, example ${index + 1}`,
    language,
    code,
  })),
);

describe("shell examples", () => {
  it("use only what is a prerequisite, or state what they need", async () => {
    const script = new URL("../../../../scripts/testing/shell-examples.mjs", import.meta.url).href;
    const { shellExamples } = (await import(script)) as {
      shellExamples(): { page: string; code: string; isRun: boolean; needs?: string }[];
    };
    const known = /^(?:curl|cd|cp|echo|git|npm|npx|export|\.\/gateway)\b/;
    const wrong = shellExamples()
      .filter(({ isRun, needs }) => !isRun && needs === undefined)
      .flatMap(({ page, code }) =>
        code
          .replaceAll(/\\\n\s*/g, "")
          .split("\n")
          .filter((line) => line !== "" && !known.test(line))
          .map((line) => `${page}: ${line}`),
      );
    expect(wrong).toEqual([]);
  });
});

describe("examples", () => {
  let gateway: TestGateway;
  let folder = "";
  let key = "";

  beforeAll(async () => {
    gateway = await startTestGateway({ DEMO_UPSTREAM: "1" });
    const models = ["demo-chat", "demo-chat-mini"];
    await gateway.addChannel({ type: 900, name: "Demo", models, key: "demo" });
    ({ key } = await gateway.addToken({ name: "docs" }));
    // Inside this folder, so that the SDKs can be resolved.
    folder = await mkdtemp(join(import.meta.dirname, ".examples-"));
  });

  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function outputOf({ language, code }: Example): Promise<string> {
    const env = {
      PATH: process.env["PATH"] ?? "",
      GATEWAY: gateway.url,
      GATEWAY_KEY: key,
      ADMIN_TOKEN: testAccessToken,
    };
    const options = { env, cwd: folder, timeout: 30_000 };
    if (language === "sh") return (await run("bash", ["-euo", "pipefail", "-c", code], options)).stdout;
    const file = join(folder, "example.mjs");
    await writeFile(file, code);
    return (await run(process.execPath, [file], options)).stdout;
  }

  it.each(examples)("$name", async (example) => {
    const output = await outputOf(example);
    expect(output.trim()).not.toBe("");
    expect(output).not.toMatch(/"error"|"success":\s*false/);
  });
});
