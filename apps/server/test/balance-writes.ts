/** Finds SQL and Prisma code that writes a balance, in any spelling. Used by the architecture test. */

const columns = "quota|reserved|leased|used_quota|open_calls|day_quota|month_quota";
const name = (table: string) => String.raw`(?:ONLY\s+)?(?:"?\w+"?\s*\.\s*)?"?(?:${table})"?`;
const setsColumn = new RegExp(
  String.raw`(?:^|[\s,("])"?(?:${columns})"?\s*(?:(?:,[^=()]*)?\))?\s*=(?!=)`,
  "i",
);

/** Matches `UPDATE users …` up to its WHERE, its RETURNING or the end of the string literal. */
const updates = new RegExp(
  String.raw`\b(?:UPDATE|MERGE\s+INTO)\s+${name("users|tokens")}\b([\s\S]*?)(?:\bWHERE\b|\bRETURNING\b|[;${"`"}]|$)`,
  "gi",
);
/** New rows may set a limit (`remain_quota`), but no balance. */
const inserts = new RegExp(
  String.raw`\bINSERT\s+INTO\s+${name("users|tokens")}\s*(?:AS\s+\w+\s*)?\(([^)]*)\)`,
  "gi",
);
const ownTables =
  /\b(?:UPDATE|INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO)\s+(?:ONLY\s+)?(?:"?\w+"?\s*\.\s*)?"?(?:reservations|ledger_entries|channel_charges)\b/i;
const ownModels =
  /\b(?:reservation|ledgerEntry|channelCharge)\s*\.\s*(?:create|update|delete|upsert)\w*\s*\(/;
const prismaCalls = /\b(?:user|token)\s*\.\s*(?:update|create|upsert)\w*\s*\(/g;
const nestedWrites = /\b(?:user|token)s?\s*:\s*\{\s*(?:update|create|upsert|connectOrCreate)\w*\s*:/g;
const key = new RegExp(String.raw`(?:^|[\s{,])["']?(?:${columns})["']?\s*(?::(?!\s*true\b)|,|\}|$)`, "m");

export function writesBalance(text: string): boolean {
  if (ownTables.test(text) || ownModels.test(text)) return true;
  for (const [, clause = ""] of text.matchAll(updates)) if (setsColumn.test(clause)) return true;
  for (const [, listed = ""] of text.matchAll(inserts))
    if (new RegExp(String.raw`\b(?:${columns})\b`, "i").test(listed)) return true;
  for (const found of [...text.matchAll(prismaCalls), ...text.matchAll(nestedWrites)]) {
    const given = enclosed(text, found.index + found[0].search(/[({]/));
    if (dataOf(text, given).some((data) => key.test(data))) return true;
  }
  return false;
}

/** Returns the written objects: the inline object, or the constant that `data` names. */
function dataOf(text: string, given: string): string[] {
  const inline = [...given.matchAll(/\b(?:data|create|update)\s*:\s*[[{]/g)].map((found) =>
    enclosed(given, found.index + found[0].length - 1),
  );
  const named = [...given.matchAll(/\b(data|create|update)\s*(?::\s*(\w+)\s*)?(?=[,})])/g)];
  const constants = named.flatMap(([, short, long]) =>
    [...text.matchAll(new RegExp(String.raw`\b${long ?? short}\b[^=;\n]*=\s*\{`, "g"))].map((found) =>
      enclosed(text, found.index + found[0].length - 1),
    ),
  );
  const assigned = named.flatMap(([, short, long]) =>
    [...text.matchAll(new RegExp(String.raw`\b${long ?? short}\s*\.\s*(\w+)\s*=(?!=)`, "g"))].map(
      ([, column]) => `{ ${column}: 0 }`,
    ),
  );
  return [...inline, ...constants, ...assigned];
}

/** Returns the text from a bracket to its closing bracket. */
function enclosed(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign) && (depth -= 1) === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}
