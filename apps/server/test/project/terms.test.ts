import { describe, expect, it } from "vitest";

type Script = { allowed: Record<string, string>; findTerms(file: string, text: string): string[] };
const script = new URL("../../../../scripts/check-terms.mjs", import.meta.url).href;
const { allowed, findTerms } = (await import(/* @vite-ignore */ script)) as Script;

describe("terms: scripts/check-terms.mjs", () => {
  it("reports an old term in an identifier, a private name and a file name", () => {
    expect(findTerms("src/a.ts", "const vendorUrl = 1;\nclass A { #heard = 1 }\n")).toEqual([
      "src/a.ts:1: vendorUrl: write provider instead of “vendor”",
      "src/a.ts:2: heard: write received instead of “heard”",
    ]);
    expect(findTerms("src/native-door.ts", "")).toHaveLength(1);
  });

  it("reports an old term in displayed text, also inside a template and in JSX", () => {
    expect(findTerms("src/a.ts", 'fail("The vendor is busy.");')).toHaveLength(1);
    expect(findTerms("src/a.ts", "fail(`Model ${name}: nobody answers.`);")).toHaveLength(1);
    expect(findTerms("src/a.tsx", "export const A = () => <p>0 is never.</p>;")).toHaveLength(1);
    expect(findTerms("docs/a.md", "Calls in flight.\n\nThe price in force.")).toHaveLength(2);
    expect(findTerms("locales/en_US/logs.json", '{"Everybody": "Everybody"}')).toHaveLength(1);
  });

  it("reports an old term in a comment, except in quotes", () => {
    expect(findTerms("src/a.ts", "// The vendor is slow.\n")).toHaveLength(1);
    expect(findTerms("src/a.ts", '/** Returns "nobody", or the user who is asked. */\n')).toEqual([]);
  });

  it("reports an old term in the title of a test and of its cases, and an old name in its texts", () => {
    expect(findTerms("src/a.test.ts", 'it("is told the reason", () => {});')).toEqual([
      "src/a.test.ts:1: “told”: write reported, notified: is told the reason",
    ]);
    expect(findTerms("src/a.test.ts", 'it.each([["an id of ours", 1]])("reads %s", () => {});')).toHaveLength(
      1,
    );
    expect(findTerms("src/a.test.ts", 'create({ name: "vendor" });')).toHaveLength(1);
    expect(findTerms("src/a.test.ts", 'expect(page).toContain("as somebody said");')).toEqual([]);
  });

  it("reports a second term of a translation, in messages and pages", () => {
    expect(findTerms("locales/zh_CN/logs.json", '{"Account": "账户", "Accounts": "账号"}')).toEqual([
      "locales/zh_CN/logs.json: “账户”: write 账号: 账户",
    ]);
    expect(findTerms("locales/zh_HK/logs.json", '{"User": "使用者"}')).toHaveLength(1);
    expect(findTerms("locales/ja_JP/logs.json", '{"User": "利用者"}')).toHaveLength(1);
    expect(findTerms("docs/zh_CN/a.md", "一个账户")).toHaveLength(1);
    expect(findTerms("docs/a.md", "一个账户")).toEqual([]);
  });

  it("reports a button that adds something with an article, but no sentence", () => {
    const labels = { "Add a channel": "", "Add an address": "", "Add a channel with your API key.": "" };
    expect(findTerms("locales/en_US/logs.json", JSON.stringify(labels))).toEqual([
      "locales/en_US/logs.json: “Add a channel”: write Add channel",
      "locales/en_US/logs.json: “Add an address”: write Add address",
    ]);
  });

  it("ignores single words, SQL and allowed names", () => {
    const kept = Object.keys(allowed).map((name) => `export const ${name} = 1;`);
    const source = ['read("said");', 'query("SELECT held FROM a");', ...kept];
    expect(findTerms("src/a.ts", source.join("\n"))).toEqual([]);
  });
});
