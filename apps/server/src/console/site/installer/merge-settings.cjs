// Adds settings to an existing file and prints the result. The installer runs it as
// `node merge-settings.cjs <format> <existing file> <file with the settings> <paths to remove> <names to keep>`.
// Exits with 3 and a reason if the file cannot be merged safely. Runs on every Node since version 12.
"use strict";
const { readFileSync } = require("node:fs");

const [format, existing, added, removed = "", kept = ""] = process.argv.slice(2);

function refuse(reason) {
  process.stderr.write(reason + "\n");
  process.exit(3);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function merge(target, source, path) {
  for (const key of Object.keys(source)) {
    const own = Object.prototype.hasOwnProperty.call(target, key);
    if (own && isObject(source[key])) {
      if (!isObject(target[key])) refuse("'" + path + key + "' is not an object.");
      merge(target[key], source[key], path + key + ".");
    } else {
      target[key] = source[key];
    }
  }
}

function remove(target, path) {
  const keys = path.split(".");
  const last = keys.pop();
  let place = target;
  for (const key of keys) {
    if (!isObject(place) || !Object.prototype.hasOwnProperty.call(place, key)) return;
    place = place[key];
  }
  if (isObject(place)) delete place[last];
}

function mergeJson(text, settings) {
  let parsed;
  try {
    parsed = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    refuse("It has comments or is not valid JSON.");
  }
  if (!isObject(parsed)) refuse("It is not a JSON object.");
  for (const path of removed.split(",").filter(Boolean)) remove(parsed, path);
  const ours = JSON.parse(settings);
  for (const name of kept.split(","))
    if (Object.prototype.hasOwnProperty.call(parsed, name)) delete ours[name];
  merge(parsed, ours, "");
  const indent = /^\{\r?\n([ \t]+)"/.exec(text);
  return JSON.stringify(parsed, null, indent ? indent[1] : 2) + "\n";
}

// How many brackets and braces a line opens, outside of texts and comments.
function depthOf(line) {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (quote !== "") {
      if (letter === "\\" && quote === '"') at += 1;
      else if (letter === quote) quote = "";
    } else if (letter === "#") break;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "[" || letter === "{") depth += 1;
    else if (letter === "]" || letter === "}") depth -= 1;
  }
  return depth;
}

const header = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$/;

// Splits a TOML file into the lines before the first table, and the tables with their lines.
function tablesOf(text) {
  const tables = [{ name: "", lines: [] }];
  let depth = 0;
  for (const line of text.split("\n")) {
    const found = depth === 0 ? header.exec(line) : null;
    if (found) tables.push({ name: found[1].replace(/["'\s]/g, ""), lines: [] });
    else depth += depthOf(line);
    tables[tables.length - 1].lines.push(line);
  }
  if (depth !== 0) refuse("Its brackets do not match.");
  return tables;
}

function keyOf(line) {
  const found = /^\s*["']?([\w-]+)["']?\s*(\.[^=]*)?=/.exec(line);
  return found ? found[1] : "";
}

function mergeToml(text, settings) {
  if (text.includes('"""') || text.includes("'''")) refuse("It has texts of several lines.");
  const [ownRoot, ...ownTables] = tablesOf(settings.trim());
  const [root, ...tables] = tablesOf(text);
  const keys = new Set(ownRoot.lines.map(keyOf).filter(Boolean));
  const first = ownTables[0].name.split(".")[0];
  if (root.lines.some((line) => keyOf(line) === first))
    refuse("It defines " + first + " as an inline table.");
  if (tables.some(({ name, lines }) => name === first && lines.slice(1).some((line) => keyOf(line) !== "")))
    refuse("It defines " + first + " as one table.");
  // The first table is replaced. The others keep the user's own lines.
  const [main, ...others] = ownTables;
  const isOwn = (name) => name === main.name || name.startsWith(main.name + ".");
  for (const { name, lines } of others) {
    if (root.lines.some((line) => keyOf(line) === name))
      refuse("It defines " + name + " outside of its table.");
    const added = lines.filter((line) => keyOf(line) !== "");
    const table = tables.find((other) => other.name === name);
    if (!table) tables.push({ name, lines });
    else {
      const replaced = new Set(added.map(keyOf));
      const kept = table.lines.filter((line) => !replaced.has(keyOf(line)));
      table.lines = [kept[0], ...added, ...kept.slice(1)];
    }
  }
  const parts = [
    ownRoot.lines.filter((line) => line.trim() !== "").join("\n"),
    root.lines.filter((line) => !keys.has(keyOf(line))).join("\n"),
    ...tables.filter(({ name }) => !isOwn(name)).map(({ lines }) => lines.join("\n")),
    main.lines.join("\n"),
  ];
  return (
    parts
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .join("\n\n") + "\n"
  );
}

function mergeEnv(text, settings) {
  const lines = settings.split("\n").filter((line) => line !== "");
  const nameOf = (line) => (/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line) || ["", ""])[1];
  const names = new Set(lines.map(nameOf));
  if (/=\s*["'`][^"'`\n]*\n/.test(text)) refuse("It has values of several lines.");
  const kept = text.split("\n").filter((line) => !names.has(nameOf(line)));
  const before = kept.join("\n").replace(/\n+$/, "");
  return (before === "" ? "" : before + "\n") + lines.join("\n") + "\n";
}

const original = readFileSync(existing, "utf8");
if (original.includes("\uFFFD")) refuse("It is not UTF-8 text.");
const windows = original.includes("\r\n");
const text = original.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n");
const settings = readFileSync(added, "utf8");
const merges = { json: mergeJson, toml: mergeToml, env: mergeEnv, sh: (_, program) => program };
if (!merges[format]) refuse("Files of this kind are not merged.");
const merged = merges[format](text, settings);
process.stdout.write(windows ? merged.replace(/\n/g, "\r\n") : merged);
