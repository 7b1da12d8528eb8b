// node scripts/check-commits.mjs [range]: checks the messages of commits, by default of the last one.
//   subject: "area: imperative subject", at most 72 characters; body: required above 50 changed lines
import { execFileSync } from "node:child_process";

const MOST_CHARACTERS = 72;
const MOST_LINES_WITHOUT_BODY = 50;
const [range = "HEAD~1..HEAD"] = process.argv.slice(2);
const git = (...args) => execFileSync("git", args, { encoding: "utf8" });

/** @returns {string[]} what is wrong with a commit */
function problemsOf(commit) {
  const [subject = "", ...body] = git("show", "-s", "--format=%B", commit).trim().split("\n");
  const changed = git("show", "--numstat", "--format=", commit)
    .split("\n")
    .filter((line) => line !== "" && !/pnpm-lock\.yaml|\/locales\//.test(line))
    .reduce(
      (sum, line) => sum + line.split("\t", 2).reduce((both, count) => both + (Number(count) || 0), 0),
      0,
    );
  const [, area = "", verb = ""] = /^([\w ,/-]+): (\S+)/.exec(subject) ?? [];
  return [
    area === "" && `The subject has no area: “area: ${subject}”.`,
    subject.length > MOST_CHARACTERS &&
      `The subject has ${subject.length} characters, at most ${MOST_CHARACTERS}.`,
    // "added", "adding": the imperative is "add". "bring" and "embed" are imperatives.
    /^[a-z]+(?:ed|ing)$/.test(verb) &&
      !["bring", "embed", "feed", "need", "speed"].includes(verb) &&
      `“${verb}” is not an imperative.`,
    subject.endsWith(".") && "The subject ends with a full stop.",
    changed > MOST_LINES_WITHOUT_BODY &&
      body.join("").trim() === "" &&
      `${changed} lines changed, and no body says why.`,
  ].filter((problem) => problem !== false);
}

let failed = 0;
for (const commit of git("rev-list", "--no-merges", range).trim().split("\n").filter(Boolean))
  for (const problem of problemsOf(commit)) {
    failed += 1;
    console.error(`${git("show", "-s", "--format=%h %s", commit).trim()}\n  ${problem}`);
  }
if (failed > 0) process.exitCode = 1;
