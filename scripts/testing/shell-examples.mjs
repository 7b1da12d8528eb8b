// The shell examples of README and documentation: which of them run, and what the others need.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../steps.mjs";

/** Programs that are no prerequisite, with the subject that verifies examples that need them. */
const programs = {
  docker: "pnpm verify:containers",
  kubectl: "pnpm verify:kubernetes",
  helm: "pnpm verify:kubernetes",
  cosign: "a published release",
  pg_dump: "a Postgres of your own",
};

/**
 * Returns the examples in the order of the pages: `page`, `code`, `isRun` (the documentation's tests run it, too), and
 * `needs`: why it cannot run in an empty folder, from `<!-- not run here: reason -->` before it or from its programs.
 */
export function shellExamples() {
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  return pages
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const found = text.matchAll(/(?:^<!-- not run here: (.+?) -->\n+)?^```sh( run)?\n([\s\S]*?)^```$/gm);
      return [...found].map(([, reason, run, code]) => ({
        page,
        code,
        isRun: run !== undefined,
        needs: reason ?? programNeed(code),
      }));
    });
}

function programNeed(code) {
  if (/^(?:[A-Z_]+=.*\n)+$/.test(code)) return "it lists variables";
  const program = Object.keys(programs).find((name) => new RegExp(`(^|[ |])${name} `, "m").test(code));
  return program === undefined ? undefined : `${program} (${programs[program]})`;
}
