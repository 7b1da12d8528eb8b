import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const styles = new URL("../", import.meta.url);
const sheets = readdirSync(styles, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".css"))
  .map((name) => ({ name, css: readFileSync(new URL(name, styles), "utf8") }));

/** A dialog would make the browser compute them for every element of a long list. */
it("no rule for any second child applies on a wide screen", () => {
  expect(sheets.length).toBeGreaterThan(0);
  const found = sheets.flatMap(({ name, css }) => {
    // Lists are short on a phone.
    const wide = css.replaceAll(/@media \(max-width[^{]*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, "");
    return (wide.match(/[ >]:nth-[^{]*(?=\{)/g) ?? []).map((rule) => `${name}: ${rule}`);
  });
  expect(found).toEqual([]);
});

/** With every element that is added or removed, the browser would search the whole page, and compute the styles of a long list again. */
it("no rule on a screen depends on what the whole page contains", () => {
  const found = sheets.flatMap(({ name, css }) => {
    const [shown = ""] = css.replaceAll(/\/\*[^]*?\*\//g, "").split("@media print");
    return (shown.match(/(?:^|[\s(])(?:html|body|#root|#content|main)[^{,\s]*:has\([^{]*/g) ?? []).map(
      (rule) => `${name}: ${rule}`,
    );
  });
  expect(found).toEqual([]);
});
