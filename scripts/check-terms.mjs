import { execFileSync } from "node:child_process";
// Fails on old terms that this project has replaced with standard ones (docs/vocabulary.md): in identifiers
// and file names, in comments, in texts for users, operators and clients, and in the documentation.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "oxc-parser";
import { root } from "./steps.mjs";

/** Old terms and their replacements. */
const identifierTerms = {
  house: "project",
  room: "deps, space",
  hall: "folder",
  wall: "boundary, grid",
  door: "endpoint",
  knock: "endpoint",
  vendor: "provider",
  flight: "call",
  way: "price option, method",
  lane: "route group, shard",
  hold: "reserve",
  held: "reserved",
  told: "reported",
  heard: "received",
  said: "text, output",
  asked: "requested",
  mend: "repair",
  unheld: "unsupported",
  nowhere: "unknown, unreachable",
  nobody: "none",
  somebody: "user",
  anybody: "user",
  words: "messages, labels",
};

const textTerms = [
  ["house", "project"],
  ["halls?", "folder"],
  ["doors?", "endpoint"],
  ["knocks?", "request"],
  ["vendors?", "provider"],
  ["flights?", "running call"],
  ["lanes?", "route group, shard"],
  ["told", "reported, notified"],
  ["heard", "received"],
  ["said", "sent, stated"],
  ["asked", "requested, called"],
  ["held", "reserved"],
  ["in force", "active, current"],
  ["by (itself|themselves)", "automatically"],
  // Except for the system user of that name.
  ["nobody(?! exists)", "no one, or the role"],
  ["somebody", "the role, such as “an administrator”"],
  ["anybody", "the role"],
  ["everybody", "all users"],
  ["0 is never", "0 = off"],
];

/** Titles of tests name what the code does: it has no voice, and the gateway is not “us”. */
const titleTerms = [
  ["tells?", "reports, returns"],
  ["(of|to) ours", "the gateway's"],
  ["asks? no", "sends no request to"],
];

/** Identifiers that keep an old term, and why. */
export const allowed = {
  SafeKeyWords: "a setting's name in the management API",
  SensitiveWords: "an option of New API, as its database names it",
  vendors: "a table of New API's database",
  inFlight: "the usual name of calls that are running",
  words: "the words of a text, one by one",
  wordsOf: "the words of a text, one by one",
  plainWords: "machine words of a buffer",
  provider_asked: "a field of the log's API",
  held_in_part: "a field of the ledger's SQL",
  lease_held: "a field of the ledger's SQL",
  lane: "a kind of row in the table usage_totals",
};

/** Terms of a translation that have one equivalent only. */
const translatedTerms = {
  zh_CN: [["账户", "账号"]],
  zh_HK: [["使用者", "用戶"]],
  ja_JP: [["利用者", "ユーザー"]],
};

/** Buttons and titles without an article: “Add channel”. */
const addLabel = /^Add an? \w+( \w+)?$/;
/** Error messages, which are sentences. */
const addErrors = new Set(["Add a reason"]);

const rulesOf = (terms) => terms.map(([term, use]) => [new RegExp(String.raw`\b${term}\b`, "i"), use]);
const textRules = rulesOf(textTerms);
const titleRules = rulesOf([...textTerms, ...titleTerms]);
/** Names and addresses in tests are not sentences. */
const testRules = rulesOf([["vendors?", "provider"]]);

/** In comments these terms also have a plain meaning, as in "a user is asked". */
const plainInComments = new Set(["asked", "said", "held", "lanes?"]);
const commentRules = rulesOf(textTerms.filter(([term]) => !plainInComments.has(term)));

/** @returns one line per finding in the text of a file */
export function findTerms(file, text) {
  const rules = [...textRules, ...translationRules(file)];
  if (file.endsWith(".md"))
    return text.split("\n").flatMap((line, at) => inText(`${file}:${at + 1}`, line, rules));
  if (file.endsWith(".json")) return inMessages(file, JSON.parse(text), rules);
  const found = inName(file);
  const { program, comments } = parseSync(file, text);
  const lineAt = (index) => text.slice(0, index).split("\n").length;
  walk(program, (node) => {
    const name = node.type.endsWith("Identifier") ? node.name : undefined;
    if (name !== undefined && !Object.hasOwn(allowed, name))
      for (const term of oldParts(name))
        found.push(
          `${file}:${lineAt(node.start)}: ${name}: write ${identifierTerms[term]} instead of “${term}”`,
        );
    for (const [shown, rules] of shownTexts(node, isTest(file)))
      found.push(...inText(`${file}:${lineAt(node.start)}`, shown, rules));
  });
  for (const { start, value } of comments)
    found.push(...inText(`${file}:${lineAt(start)}`, value.replaceAll(/"[^"]*"|`[^`]*`/g, ""), commentRules));
  // An identifier that is declared and used in one place has two nodes there.
  return [...new Set(found)];
}

/** The rules of the language that a file is written in. */
function translationRules(file) {
  const language = Object.keys(translatedTerms).find((each) => file.includes(each));
  return (translatedTerms[language] ?? []).map(([term, use]) => [new RegExp(term), use]);
}

/** The keys of the messages are the English texts. */
function inMessages(file, messages, rules) {
  if (!file.includes("locales/en_US/"))
    return Object.values(messages).flatMap((message) => inText(file, message, rules));
  const labels = Object.keys(messages).filter((key) => addLabel.test(key) && !addErrors.has(key));
  return [
    ...Object.keys(messages).flatMap((key) => inText(file, key, rules)),
    ...labels.map((key) => `${file}: “${key}”: write ${key.replace(/ an? /, " ")}`),
  ];
}

function walk(node, visit) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) return node.forEach((each) => walk(each, visit));
  if (typeof node.type === "string") visit(node);
  for (const [key, value] of Object.entries(node)) if (key !== "parent") walk(value, visit);
}

function textOf(node) {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateElement") return node.value.cooked;
  return node.type === "JSXText" ? node.value : undefined;
}

/** The texts of a node, each with the rules for it. In tests, only titles are sentences for readers. */
function shownTexts(node, inTest) {
  const shown = textOf(node);
  if (!inTest) return shown !== undefined && isSentence(shown) ? [[shown, textRules]] : [];
  const titles = isTestCase(node) ? titlesOf(node).map((title) => [title, titleRules]) : [];
  return shown === undefined ? titles : [[shown, testRules], ...titles];
}

const isTestCase = (node) =>
  node.type === "CallExpression" && ["it", "test", "describe"].includes(calledName(node.callee));

/** The first name of `it`, `it.each([…])` and `test.describe`. */
function calledName(callee) {
  if (callee.type === "CallExpression") return calledName(callee.callee);
  if (callee.type === "TaggedTemplateExpression") return calledName(callee.tag);
  return callee.type === "MemberExpression" ? calledName(callee.object) : callee.name;
}

/** The title of a test, and the names of its cases: the first text of each row of `it.each`. */
function titlesOf({ callee, arguments: [title] }) {
  const table = callee.type === "CallExpression" ? callee.arguments[0] : undefined;
  const rows = table?.type === "ArrayExpression" ? table.elements : [];
  const names = rows.map((row) => (row?.type === "ArrayExpression" ? row.elements[0] : row));
  return [title, ...names].flatMap((node) =>
    node?.type === "TemplateLiteral" ? node.quasis.map(textOf) : ((node && textOf(node)) ?? []),
  );
}

function inText(place, text, rules) {
  return rules.flatMap(([rule, use]) => {
    const match = rule.exec(text);
    return match === null ? [] : [`${place}: “${match[0]}”: write ${use}: ${text.trim().slice(0, 100)}`];
  });
}

function inName(file) {
  return oldParts(basename(file).split(".")[0]).map(
    (term) => `${file}: write ${identifierTerms[term]} instead of “${term}” in the file's name`,
  );
}

function oldParts(name) {
  const parts = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  return parts
    .map((part) => part.toLowerCase())
    .map((part) => (part === "words" ? part : part.replace(/s$/, "")))
    .filter((part) => Object.hasOwn(identifierTerms, part));
}

const isSentence = (text) =>
  /\S\s+\S/.test(text) && !/\b(SELECT|INSERT INTO|UPDATE|CREATE|redis\.call)\b/.test(text);
const isTest = (file) => /\.test\.tsx?$|\/(test|e2e|bench)\/|fixture/.test(file);

function checkedFiles() {
  const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return tracked
    .split("\n")
    .filter((file) => /\.(ts|tsx|mjs|md)$/.test(file) || /locales\/\w+\/[\w-]+\.json$/.test(file))
    .filter(
      (file) =>
        !/fixtures\/(?!README)|CHANGELOG|docs\/vocabulary\.md|check-terms\.mjs|project\/terms\.test/.test(
          file,
        ),
    );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const found = checkedFiles().flatMap((file) => findTerms(file, readFileSync(join(root, file), "utf8")));
  for (const line of found) console.log(line);
  if (found.length > 0) console.log(`${found.length} old terms. docs/vocabulary.md has the terms to use.`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
