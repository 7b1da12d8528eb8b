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
    expect(findTerms("locales/en_US.json", '{"Everybody": "Everybody"}')).toHaveLength(1);
  });

  it("reports an old term in a comment, except in quotes", () => {
    expect(findTerms("src/a.ts", "// The vendor is slow.\n")).toHaveLength(1);
    expect(findTerms("src/a.ts", '/** Returns "nobody", or the user who is asked. */\n')).toEqual([]);
  });

  it("ignores single words, SQL and allowed names", () => {
    const kept = Object.keys(allowed).map((name) => `export const ${name} = 1;`);
    const source = ['read("said");', 'query("SELECT held FROM a");', ...kept];
    expect(findTerms("src/a.ts", source.join("\n"))).toEqual([]);
  });
});
