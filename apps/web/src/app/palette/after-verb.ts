/**
 * Returns the text after one of these verbs, without "everywhere" at its end: "gpt" of "disable gpt everywhere".
 * Undefined when the text begins with none of them or names nothing.
 */
export function afterVerb(text: string, verbs: readonly string[]): string | undefined {
  const lower = text.toLowerCase();
  const verb = verbs.find((each) => each !== "" && lower.startsWith(each.toLowerCase()));
  if (verb === undefined) return undefined;
  const rest = text.slice(verb.length);
  // Latin verbs end with a space; Chinese and Japanese ones need none.
  if (/[a-z]$/i.test(verb) && !rest.startsWith(" ")) return undefined;
  const name = rest.trim().replace(/ everywhere$/i, "");
  return name === "" ? undefined : name;
}
