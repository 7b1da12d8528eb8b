// Counts results, and explains each failure in the last lines of the run: often they are all that is kept of it.
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "../steps.mjs";

/**
 * @typedef {object} Failure
 * @property {string} title  the file or check, and the test
 * @property {string} [reason]  the first assertion that failed
 * @property {string} [again]  the command that repeats only this test
 * @property {string} [trace]  the folder with screenshot and trace
 */

export const report = {
  passed: 0,
  skipped: 0,
  /** @type {Failure[]} */
  failures: [],
  /** Tests that passed when they were repeated. @type {Failure[]} */
  unstable: [],
};

/** Prints every unstable test and every failure, then "N passed, N failed". */
export function printReport() {
  const { passed, skipped, failures, unstable } = report;
  for (const test of unstable) explain("! Passed only when it was repeated:", test);
  for (const failure of failures) explain("✗", failure);
  if (failures.length + unstable.length > 0) console.log("");
  console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
}

function explain(mark, { title, reason, again, trace }) {
  console.log(`\n${mark} ${title}`);
  if (reason) console.log(`  ${reason}`);
  if (again) console.log(`  Again: ${again}`);
  if (trace) console.log(`  Trace: ${trace}`);
}

/** Adds the JSON report of Vitest. */
export function addVitest({ numPassedTests, numPendingTests = 0, numTodoTests = 0, testResults }) {
  report.passed += numPassedTests;
  report.skipped += numPendingTests + numTodoTests;
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    // A test that passed in the end has the messages of its earlier failures.
    const unstable = assertionResults.filter(
      (test) => test.status === "passed" && test.failureMessages?.length > 0,
    );
    for (const { status: result, fullName, failureMessages } of [...failed, ...unstable])
      report[result === "failed" ? "failures" : "unstable"].push({
        title: `${file}: ${fullName}`,
        reason: firstLines(failureMessages?.[0]),
        again: command(file, fullName),
      });
    // A file that could not be loaded reports no failed test.
    if (status === "failed" && failed.length === 0)
      report.failures.push({ title: file, reason: firstLines(message), again: command(file) });
  }
}

/** Adds the JSON report of Playwright. */
export function addPlaywright({ stats, suites, errors, config }) {
  report.passed += stats.expected + stats.flaky;
  report.skipped += stats.skipped;
  for (const { message } of errors)
    report.failures.push({ title: "Browser tests", reason: firstLines(message) });
  for (const { file, titles, spec } of specsOf(suites))
    for (const { status, results, projectName } of spec.tests) {
      if (status !== "unexpected" && status !== "flaky") continue;
      const path = relative(root, `${config.rootDir}/${file}`);
      const [first] = results.filter((result) => result.status !== "passed");
      const attachment = results.flatMap((result) => result.attachments).findLast((one) => one.path);
      report[status === "flaky" ? "unstable" : "failures"].push({
        title: `${path} (${projectName}): ${titles.join(" › ")}`,
        reason: firstLines(first?.error?.message ?? first?.status),
        again: command(path, titles.join(" ")),
        trace: attachment && relative(root, attachment.path.replace(/\/[^/]+$/, "")),
      });
    }
}

/** The specs of nested suites. The outermost suite is the file. */
function specsOf(suites, titles = []) {
  return suites.flatMap((suite) => {
    const inside = suite.title === suite.file ? titles : [...titles, suite.title];
    return [
      ...(suite.specs ?? []).map((spec) => ({ file: spec.file, titles: [...inside, spec.title], spec })),
      ...specsOf(suite.suites ?? [], inside),
    ];
  });
}

function command(file, title) {
  // In single quotes a shell changes nothing but the quote itself.
  return `npm test -- ${file}${title === undefined ? "" : ` -t '${title.replaceAll("'", "'\\''")}'`}`;
}

/** The assertion with what was expected and received, without the stack. */
function firstLines(text = "") {
  const lines = stripVTControlCharacters(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const stack = lines.findIndex((line) => line.startsWith("at ") || line.startsWith("Call log:"));
  return lines
    .slice(0, stack === -1 ? 4 : Math.min(stack, 4))
    .join(" | ")
    .slice(0, 400);
}
