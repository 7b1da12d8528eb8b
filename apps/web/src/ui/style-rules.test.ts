import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A dialog would make the browser compute them for every element of a long list. */
it("no rule for any second child applies on a wide screen", () => {
  const styles = new URL("../", import.meta.url);
  const files = readdirSync(styles, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".css"),
  );
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((name) => {
    const css = readFileSync(new URL(name, styles), "utf8");
    // Lists are short on a phone.
    const wide = css.replaceAll(/@media \(max-width[^{]*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, "");
    return (wide.match(/[ >]:nth-[^{]*(?=\{)/g) ?? []).map((rule) => `${name}: ${rule}`);
  });
  expect(found).toEqual([]);
});
