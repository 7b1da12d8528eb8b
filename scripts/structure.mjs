// node scripts/structure.mjs: longest files and functions and the largest folders of the sources. Generated files,
// tests and comments do not count, nor do the lines of functions inside a function. `pnpm structure` also counts
// the modules that one chat request visits.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { root } from "./steps.mjs";

const sources = ["apps/server/src", "apps/web/src", "packages/shared/src", "packages/demo/src"];

function filesOf(source) {
  return readdirSync(join(root, source), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|fixture)\.|^platform\/prisma\//.test(file))
    .map((file) => join(root, source, file));
}

/** Returns the numbers of lines that contain code, as the linter counts them. */
function linesOfCode(text, comments) {
  let bare = "";
  let at = 0;
  for (const { start, end } of comments) {
    bare += text.slice(at, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ");
    at = end;
  }
  bare += text.slice(at);
  return bare.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [index]));
}

function* nodesIn(value) {
  if (Array.isArray(value)) for (const each of value) yield* nodesIn(each);
  else if (typeof value === "object" && value !== null) {
    if (typeof value.type === "string") yield value;
    for (const each of Object.values(value)) yield* nodesIn(each);
  }
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function measure(file) {
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const lines = linesOfCode(text, comments);
  const lineAt = (offset) => text.slice(0, offset).split("\n").length - 1;
  const spans = [...nodesIn(program.body)]
    .filter(({ type }) => functions.has(type))
    .map(({ start, end }) => ({ first: lineAt(start), last: lineAt(end) }));
  let longest = { lines: 0, line: 0 };
  for (const span of spans) {
    const inside = spans.filter(({ first, last }) => first > span.first && last < span.last);
    const isOwn = (line) => !inside.some(({ first, last }) => line >= first && line <= last);
    const count = lines.filter((line) => line >= span.first && line <= span.last && isOwn(line)).length;
    if (count > longest.lines) longest = { lines: count, line: span.first + 1 };
  }
  return { lines: lines.length, longest };
}

for (const source of sources) {
  const files = filesOf(source);
  const measured = files.map((file) => ({ file: relative(root, file), ...measure(file) }));
  const most = (by) => measured.toSorted((one, other) => by(other) - by(one))[0];
  const file = most(({ lines }) => lines);
  const holder = most(({ longest }) => longest.lines);
  const folders = Map.groupBy(files, (path) => relative(root, dirname(path)));
  const [folder, inside] = [...folders].toSorted(([, one], [, other]) => other.length - one.length)[0];
  console.log(`${source}: ${files.length} files`);
  console.log(`  longest file      ${file.lines} lines of code  ${file.file}`);
  console.log(
    `  longest function  ${holder.longest.lines} lines of code  ${holder.file}:${holder.longest.line}`,
  );
  console.log(`  largest folder    ${inside.length} files  ${folder}`);
}
