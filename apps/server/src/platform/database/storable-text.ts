import type { ReasonFact } from "@gateway/shared/reasons";

/** NUL, and halves of surrogate pairs. */
const special = /[\0\uD800-\uDFFF]/;

/**
 * Returns text that Postgres can store, in a column or in JSON: no NUL, no lone surrogate, limited length.
 */
export function storableText(text: string, longest: number): string {
  // Nearly every text is short and plain.
  if (text.length <= longest && !special.test(text)) return text;
  return text.slice(0, longest).replaceAll("\0", "").toWellFormed();
}

/** Returns the values with texts of limited length that Postgres can store. */
export function storableParams<Value extends string | number>(
  params: Readonly<Record<string, Value>>,
  longest: number,
): Record<string, Value> {
  const kept = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? storableText(value, longest) : value,
  ]);
  return Object.fromEntries(kept) as Record<string, Value>;
}

/** Returns the facts of a reason, ready for a JSON column. */
export function storableFacts(facts: readonly ReasonFact[], longest: number): ReasonFact[] {
  return facts.map(({ code, params }) => ({ code, params: storableParams(params, longest) }));
}

/** Returns stored values as texts; none when the column holds no object. */
export function readStoredTexts(stored: unknown): Record<string, string> {
  if (typeof stored !== "object" || stored === null) return {};
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, String(value)]));
}
