/** Error templates by name. Forms bring their own; all others are loaded with the first error. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { useEffect, useState } from "react";
import { errorNamespace, loadNamespaces } from "#lib/i18n.ts";

type TemplateOf = (name: string) => string | undefined;

let ofForms = lookupTable<string>({});
let ofErrors: TemplateOf | undefined;

/** Registers the templates of field errors. Called by forms. */
export function registerTemplates(templates: Readonly<Record<string, string>>): void {
  ofForms = templates;
}

export function findTemplate(name: string): string | undefined {
  return ofErrors?.(name) ?? (Object.hasOwn(ofForms, name) ? ofForms[name] : undefined);
}

/** Resolves when errors can be shown in the user's language. Without a connection they stay in English. */
export async function loadErrorTexts(): Promise<void> {
  const texts = loadNamespaces(errorNamespace).catch(() => {});
  try {
    const [{ templateOf }] = await Promise.all([import("./error-templates.ts"), texts]);
    ofErrors = templateOf;
  } catch {
    // The server's English message is shown instead.
  }
}

/**
 * Loads the error messages for a screen that shows earlier errors and redraws it then.
 * @param wanted false when the screen shows no errors: the messages are larger than most screens
 */
export function useErrorTexts(wanted = true): void {
  const [, redraw] = useState(ofErrors !== undefined);
  useEffect(() => {
    if (wanted) void loadErrorTexts().then(() => redraw(true));
  }, [wanted]);
}
