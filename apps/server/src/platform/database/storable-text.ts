import type { ReasonFact } from "@gateway/shared/reasons";

/** Text that Postgres takes, in a column or in JSON: no NUL, no half of a surrogate pair, not endless. */
export function storableText(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll("\0", "").toWellFormed();
}

/** Values whose texts are not endless either. */
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

/** Facts of a reason, ready for a JSON column. */
export function storableFacts(facts: readonly ReasonFact[], longest: number): ReasonFact[] {
  return facts.map(({ code, params }) => ({ code, params: storableParams(params, longest) }));
}
