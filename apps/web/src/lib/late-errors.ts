/** The templates of errors by name: those of forms come with the forms, all others with the first error. */
import { useEffect, useState } from "react";
import { loadErrorLabels } from "./i18n.ts";

type TemplateOf = (name: string) => string | undefined;

let ofForms: Readonly<Record<string, string>> = {};
let ofErrors: TemplateOf | undefined;

/** Forms bring the templates of what can be wrong with a field. */
export function knowTemplates(templates: Readonly<Record<string, string>>): void {
  ofForms = templates;
}

export function templateNamed(name: string): string | undefined {
  return ofErrors?.(name) ?? (Object.hasOwn(ofForms, name) ? ofForms[name] : undefined);
}

/** Resolves when errors can be shown in the reader's language; without a connection they stay in English. */
export async function loadErrorTexts(): Promise<void> {
  try {
    const [{ templateOf }] = await Promise.all([import("./error-templates.ts"), loadErrorLabels()]);
    ofErrors = templateOf;
  } catch {
    // The server's English message is shown instead.
  }
}

/**
 * For screens that show errors of earlier visits: draws them again once their messages are there.
 *
 * @param wanted false where there are none: their messages weigh more than most screens
 */
export function useErrorTexts(wanted = true): void {
  const [, redraw] = useState(ofErrors !== undefined);
  useEffect(() => {
    if (wanted) void loadErrorTexts().then(() => redraw(true));
  }, [wanted]);
}
