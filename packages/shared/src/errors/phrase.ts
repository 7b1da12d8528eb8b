/**
 * Marks an English template with `{{params}}` for translation: the console collects these texts as keys of its locale
 * files.
 */
/* @__NO_SIDE_EFFECTS__ */
export function phrase<const Text extends string>(text: Text): Text {
  return text;
}

type Placeholders<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

/** The values that a template names. */
export type Values<Text extends string> = { readonly [Name in Placeholders<Text>]: string | number };

/** What travels: `reason`, `field`, limits and the values of the template. */
export type WireParams = Readonly<Record<string, string | number>>;

/** Stands where a value is missing, so that no reader sees a raw placeholder. */
export const MISSING = "…";

/** The template with its values. */
export function filled(template: string, params: WireParams): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(params[name] ?? MISSING));
}
