/** Error templates by name. Those of field errors are always there; all others are loaded with the first error. */
import { fieldReasons } from "@gateway/shared/errors/fields";
import { lookupTable } from "@gateway/shared/lookup-table";
import { useEffect, useState } from "react";
import { errorNamespace, loadNamespaces } from "#lib/i18n.ts";

type TemplateOf = (name: string) => string | undefined;

const ofFields = lookupTable<string>(fieldReasons);
let ofErrors: TemplateOf | undefined;

export function findTemplate(name: string): string | undefined {
  return ofErrors?.(name) ?? ofFields[name];
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
