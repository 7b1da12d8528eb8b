import { z } from "zod";
import { because } from "#errors/issue.ts";

/** The accent colour of the site: `#` and six hexadecimal digits; "" is the product's own. */
export const AccentColor = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^(#[\da-f]{6})?$/, because("accent_color"));

/** Query of GET /api/option/accent. */
export const AccentQuery = z.object({ color: AccentColor.default("") });

/** The colours that follow from an accent in one colour scheme, as CSS colours. */
const AccentPalette = z.object({
  /** Buttons and other filled areas, for white text. */
  filled: z.string(),
  /** Links, and text on `soft`. */
  text: z.string(),
  /** Background of the active item. */
  soft: z.string(),
});

/** GET /api/option/accent: what a colour would look like. */
export const AccentPreview = z.object({ light: AccentPalette, dark: AccentPalette });
export type AccentPreview = z.infer<typeof AccentPreview>;
