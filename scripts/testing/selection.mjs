// Which tests "npm test -- <path or title>" and "npm test -- --changed" run.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fail, root } from "../steps.mjs";
import { suites, testFiles } from "./suites.mjs";

/**
 * @typedef {object} Selection
 * @property {import("./suites.mjs").Suite} suite
 * @property {string[]} files
 * @property {string} [title]
 */

/**
 * Finds the tests that a text names: files whose path contains it, or else tests whose title contains it.
 * @param {string} text
 * @param {string} [title]
 * @returns {Selection[]}
 */
export function named(text, title) {
  const path = relative(root, join(process.env.INIT_CWD ?? process.cwd(), text));
  const all = testFiles();
  for (const candidate of [path, text]) {
    const files = all.filter((file) => file.includes(candidate));
    if (files.length > 0) return grouped(files, title);
  }
  const files = all.filter((file) => titlesIn(file).some((pattern) => pattern.test(text)));
  if (files.length > 0) return grouped(files, text);
  fail(`No test file has “${text}” in its path, and no test in its title.`);
}

/** Titles in a file, as matchers of what a person types; what a template inserts may be anything. */
function titlesIn(file) {
  const source = readFileSync(join(root, file), "utf8");
  const literals = /\(\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`),\s*(?:async\b|\(|\{|\w+ =>)/g;
  return [...source.matchAll(literals)].map(([, plain, template]) => {
    const title = (plain ?? template ?? "").replaceAll('\\"', '"');
    const parts = title.split(/\$\{[^}]*\}|\$\w+(?:\.\w+)*|%[sdifjo]/).map((part) => part.trim());
    return {
      // The text can also be longer: the report prints a title after those of its groups.
      test: (text) =>
        title.includes(text) || (parts.join("").length > 8 && parts.every((part) => text.includes(part))),
    };
  });
}

/** @returns {Selection[]} */
function grouped(files, title) {
  return Object.values(suites)
    .map((suite) => ({ suite, files: files.filter(suite.has), title }))
    .filter((selection) => selection.files.length > 0);
}

/** Files that differ from the last commit, and new ones. */
export function changedFiles(since = "HEAD") {
  const git = (...args) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
  return [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")];
}

/**
 * Browser tests that a change touches: changed tests, and those that open a screen of a changed feature.
 * @param {string[]} changed
 */
export function browserTestsFor(changed) {
  const all = testFiles().filter(suites.e2e.has);
  const tests = new Set(all.filter((file) => changed.includes(file)));
  const features = new Set(
    changed.flatMap((file) => /^apps\/web\/src\/features\/([^/]+)\//.exec(file)?.[1] ?? []),
  );
  if (features.size === 0) return [...tests];
  const [, ...screens] = readFileSync(join(root, "apps/web/src/app/screens.ts"), "utf8").split(/\bid: "/);
  for (const screen of screens) {
    const id = screen.slice(0, screen.indexOf('"'));
    const isChanged = [...screen.matchAll(/#features\/([^/"]+)/g)].some(([, feature]) =>
      features.has(feature),
    );
    if (!isChanged) continue;
    for (const file of all)
      if (readFileSync(join(root, file), "utf8").includes(`/panel/${id}`)) tests.add(file);
  }
  return [...tests];
}
