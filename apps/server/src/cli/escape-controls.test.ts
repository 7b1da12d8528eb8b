import { expect, it } from "vitest";
import { escapeControls } from "./escape-controls.ts";

it.each([
  ["plain text, 中文, 👩‍👩‍👧 é\n\tnext", "plain text, 中文, 👩‍👩‍👧 é\n\tnext"],
  ["\u001B]0;title\u0007", String.raw`\u001b]0;title\u0007`],
  ["\u009B31mred", String.raw`\u009b31mred`],
  ["over\rwritten\u0008", String.raw`over\u000dwritten\u0008`],
  ["user\u202Eexe.txt", String.raw`user\u202eexe.txt`],
])("shows control characters of %j", (text, shown) => {
  expect(escapeControls(text)).toBe(shown);
});
