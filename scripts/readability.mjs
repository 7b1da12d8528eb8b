// Prints the texts that are hardest to read: long sentences, passive voice, and phrases that CONTRIBUTING.md
// forbids. `pnpm readability` checks the console's English texts and the documentation; it never fails.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./steps.mjs";

const SHOWN = 20;
const longest = { words: 25, characters: 30 };

/** Points per finding. A sentence of 25 words or more gets one point for each additional word. */
const phrases = [
  [
    /\b(who(ever|m)?|what) (has|is|was|does|did|can|may|comes?|came|goes|stands?)\b/gi,
    4,
    "clause as a subject",
  ],
  [/\b(stands?|lies|lives) (in|on|at|there|beside)\b/gi, 3, "personification"],
  [/\b(all the same|as it were|so to speak|in the end|at once|no more|any more)\b/gi, 2, "filler"],
  [/\b(thing|things|stuff|something|somewhere)\b/gi, 2, "vague noun"],
  [
    /\b(is|are|was|were|be|been|being) (?:\w+ly )?\w+(?:ed|en|wn|ept|ost|ade|aid|ent)\b/gi,
    1,
    "passive voice",
  ],
];

/** @returns the points of one text, and the reasons */
function judge(text) {
  const reasons = [];
  let points = 0;
  for (const sentence of text.split(/(?<=[.!?:;])\s+/)) {
    const count = sentence.split(/\s+/).filter(Boolean).length;
    if (count < longest.words) continue;
    points += count - longest.words + 1;
    reasons.push(`${count} words`);
  }
  for (const [phrase, weight, reason] of phrases) {
    const found = text.match(phrase)?.length ?? 0;
    if (found === 0) continue;
    points += found * weight;
    reasons.push(`${reason} × ${found}`);
  }
  return { points, reasons };
}

const locale = join(root, "apps/web/src/locales/en_US");
const english = Object.assign(
  {},
  ...readdirSync(locale).map((name) => JSON.parse(readFileSync(join(locale, name), "utf8"))),
);
const documents = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && !file.includes("fixtures/") && file !== "CHANGELOG.md");

const texts = Object.values(english).map((text) => ({ place: "console", text }));
for (const file of documents) {
  const prose = readFileSync(join(root, file), "utf8").replaceAll(/```[\s\S]*?```/g, "");
  for (const text of prose.split(/\n\s*\n|\n(?=[-*|#] ?)|\n(?=\d+\. )/))
    if (!text.startsWith("|") && text.length > longest.characters)
      texts.push({ place: file, text: text.replaceAll(/\s+/g, " ").trim() });
}

const worst = texts
  .map((each) => ({ ...each, ...judge(each.text) }))
  .filter(({ points }) => points > 0)
  .toSorted((left, right) => right.points - left.points);

for (const { place, text, points, reasons } of worst.slice(0, SHOWN)) {
  console.log(
    `${String(points).padStart(3)}  ${place} (${reasons.join(", ")})\n     ${text.slice(0, 240)}\n`,
  );
}
console.log(
  `${worst.length} of ${texts.length} texts have findings; the ${Math.min(SHOWN, worst.length)} worst are shown.`,
);
