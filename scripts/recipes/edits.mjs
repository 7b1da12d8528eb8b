// The edits of a recipe: new files, and lines added to existing ones. They are planned first and written only when all of
// them are possible.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";
import { fail } from "../steps.mjs";

/**
 * @typedef {object} Edit
 * @property {string} path  relative to the repository
 * @property {(text: string | undefined) => string} change  receives the text of the file, undefined for a new one
 */

/** @returns {Edit} */
export function create(path, text) {
  return {
    path,
    change(before) {
      if (before !== undefined) fail(`${path} exists already.`);
      return text;
    },
  };
}

/**
 * Adds text to a file: before the first `before` that follows `after`.
 * @param {{ after: string, before: string, text: string, unless: string }} place  `unless`: what the file contains when
 *   the text is there already
 * @returns {Edit}
 */
export function add(path, { after, before, text, unless }) {
  return {
    path,
    change(current = "") {
      const from = current.indexOf(after);
      const at = from < 0 ? -1 : current.indexOf(before, from + after.length);
      if (at < 0) fail(`${path} has no “${from < 0 ? after : before}”. Update scripts/recipes.`);
      if (current.slice(from, at).includes(unless)) fail(`${path} has ${unless.trim()} already.`);
      return current.slice(0, at) + text + current.slice(at);
    },
  };
}

/**
 * Returns the new texts by path. Throws when a file exists already, a place is not found or a text is no valid code; then
 * nothing has been written.
 * @param {string} root
 * @param {Edit[]} edits
 * @returns {Map<string, string>}
 */
export function planEdits(root, edits) {
  const texts = new Map();
  for (const { path, change } of edits) {
    const file = join(root, path);
    const current = texts.get(path) ?? (existsSync(file) ? readFileSync(file, "utf8") : undefined);
    texts.set(path, change(current));
  }
  for (const [path, text] of texts) {
    const [error] = /\.tsx?$/.test(path) ? parseSync(path, text).errors : [];
    if (error !== undefined) fail(`${path} would be no valid code: ${error.message}. Choose another name.`);
  }
  return texts;
}

/** @param {Map<string, string>} texts */
export function writeTexts(root, texts) {
  for (const [path, text] of texts) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
