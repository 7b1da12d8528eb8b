/**
 * Marks an English template with `{{params}}` for translation. The console extracts these texts as keys of
 * its locale files.
 */
/* @__NO_SIDE_EFFECTS__ */
export function phrase<const Text extends string>(text: Text): Text {
  return text;
}

/** Returns the `phrase` of a namespace of the locale files: `const phrase = phrasesIn("errors")`. */
/* @__NO_SIDE_EFFECTS__ */
export function phrasesIn(_namespace: string): typeof phrase {
  return phrase;
}

type Placeholders<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** Values of a template, by name. */
export type Values<Text extends string> = { readonly [Name in Placeholders<Text>]: string | number };

/** Params as sent: `reason`, `field`, limits and the values of the template. */
export type WireParams = Readonly<Record<string, string | number>>;

/** Replaces a missing value, so that no raw placeholder is displayed. */
export const MISSING = "…";

export function fillTemplate(template: string, params: WireParams): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(params[name] ?? MISSING));
}
