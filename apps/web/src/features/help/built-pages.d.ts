/** Made by help-pages.ts from the Markdown files in docs/. */
declare module "virtual:help" {
  import type { HelpIndex, HelpLanguage, HelpPage } from "#features/help/content.ts";

  /** Loads the list of pages. */
  export const indexes: Record<HelpLanguage, () => Promise<{ default: HelpIndex }>>;
  /** Loads a page. The keys are "<language>/<page>". */
  export const pages: Record<string, (() => Promise<{ default: HelpPage }>) | undefined>;
}
