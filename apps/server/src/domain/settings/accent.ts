/**
 * The colours of the console that follow from an accent colour. Hue and chroma are kept. The lightness changes
 * where text would not be readable (WCAG 2, AA) or a button would not stand out.
 */
import type { AccentPreview } from "@gateway/shared/site/formats/accent";
import { converter, formatHex, type Oklch, toGamut, wcagContrast } from "culori";

/** The product's own accent, whose shades `apps/web/src/app/theme.ts` defines. */
const OWN_ACCENT = "#4650dc";

const TEXT_CONTRAST = 4.5;
const AREA_CONTRAST = 3;
const STEP = 0.004;

/** Surfaces of `theme.ts` that accents are seen on. */
const surfaces = { dark: "#14181f", darkQuiet: "#191e27" } as const;
/** Opacity of the soft background in the dark scheme. */
const SOFT_ALPHA = 0.16;

/** Lightness, and chroma of an accent with the chroma of the own one, of the five light shades. */
const lightShades = [
  [0.96, 0.0175],
  [0.92, 0.035],
  [0.845, 0.07],
  [0.76, 0.11],
  [0.68, 0.158],
] as const;
const OWN_CHROMA = 0.21;

const toOklch = converter("oklch");
const toRgb = converter("rgb");
const fitted = toGamut("rgb", "oklch");

interface Accent extends AccentPreview {
  /** From light to dark, as Mantine numbers them. */
  shades: string[];
  darkHover: string;
}

/** @param accent `#` and six hexadecimal digits; "" is the product's own */
function accentColors(accent: string): Accent {
  const base = toOklch(accent || OWN_ACCENT) ?? { mode: "oklch", l: 0, c: 0 };
  const at = (l: number, c = base.c) => hexOf({ ...base, l: Math.min(1, Math.max(0, l)), c });
  const light = lightShades.map(([l, c]) => at(l, (base.c / OWN_CHROMA) * c));
  const [soft = "", , hovered = ""] = light;

  const filled = lightnessFor(base.l, -1, (l) => contrast(at(l), "#fff") >= TEXT_CONTRAST);
  const text = lightnessFor(filled - 0.055, -1, (l) => contrast(at(l), hovered) >= TEXT_CONTRAST);

  // Both bounds can be met: 4.5 against white is at least 3 against the dark surface.
  const bright = lightnessFor(filled, 1, (l) => contrast(at(l), surfaces.dark) >= AREA_CONTRAST);
  const darkFilled = at(lightnessFor(bright, -1, (l) => contrast(at(l), "#fff") >= TEXT_CONTRAST));
  const darkSoft = blend(darkFilled, surfaces.darkQuiet, SOFT_ALPHA + 0.06);
  const mildChroma = Math.min(base.c, 0.105);
  const darkText = lightnessFor(
    Math.max(0.77, Math.min(base.l, 0.9)),
    1,
    (l) => contrast(at(l, mildChroma), darkSoft) >= TEXT_CONTRAST,
  );
  const [red, green, blue] = channels(darkFilled);
  return {
    shades: [...light, darkFilled, at(filled), at(text), at(text - 0.06), at(text - 0.12)],
    darkHover: at((toOklch(darkFilled)?.l ?? 0) - 0.045),
    light: { filled: at(filled), text: at(text), soft },
    dark: {
      filled: darkFilled,
      text: at(darkText, mildChroma),
      soft: `rgba(${red}, ${green}, ${blue}, ${SOFT_ALPHA})`,
    },
  };
}

/** Returns the nearest lightness in a direction that is fit, or its end. */
function lightnessFor(start: number, direction: 1 | -1, isFit: (l: number) => boolean): number {
  let l = start;
  const isInside = () => (direction === 1 ? l < 1 : l > 0);
  while (isInside() && !isFit(l)) l += direction * STEP;
  return Math.min(1, Math.max(0, l));
}

const contrast = (one: string, other: string) => wcagContrast(one, other);

function hexOf(color: Oklch): string {
  return formatHex(fitted(color));
}

function channels(hex: string): [number, number, number] {
  const { r, g, b } = toRgb(hex) ?? { r: 0, g: 0, b: 0 };
  return [Math.round(r * 255), Math.round(g * 255), Math.round(b * 255)];
}

function blend(over: string, under: string, alpha: number): string {
  const [front, back] = [channels(over), channels(under)];
  const [r = 0, g = 0, b = 0] = front.map(
    (value, at) => (value * alpha + (back[at] ?? 0) * (1 - alpha)) / 255,
  );
  return formatHex({ mode: "rgb", r, g, b });
}

/** Returns the colours of an accent for a preview. */
export function accentPreview(accent: string): AccentPreview {
  const { light, dark } = accentColors(accent);
  return { light, dark };
}

/** Returns the colour of buttons in mails, for white text. */
export function mailAccent(accent: string): string {
  return accent === "" ? OWN_ACCENT : accentColors(accent).light.filled;
}

/**
 * Returns the style sheet that replaces the console's accent. Its selectors are stronger than those of Mantine,
 * whose style sheet comes later.
 */
export function accentSheet(accent: string): string {
  const { shades, darkHover, light, dark } = accentColors(accent);
  const block = (selector: string, variables: Record<string, string>) =>
    `${selector}{${Object.entries(variables)
      .map(([name, value]) => `--${name}:${value}`)
      .join(";")}}\n`;
  const scheme = (name: string) => `:root:root[data-mantine-color-scheme="${name}"]`;
  const variablesOf = ({ text, soft }: AccentPreview["light"]) => ({
    "accent-text": text,
    "accent-soft": soft,
    "mantine-color-anchor": text,
    "mantine-color-iris-light-color": text,
  });
  return [
    block(
      ":root:root",
      Object.fromEntries(shades.map((shade, number) => [`mantine-color-iris-${number}`, shade])),
    ),
    block(scheme("light"), {
      ...variablesOf(light),
      "mantine-color-iris-outline-hover": `color-mix(in srgb, ${light.filled} 5%, transparent)`,
    }),
    block(scheme("dark"), {
      ...variablesOf(dark),
      "mantine-color-iris-filled-hover": darkHover,
      "mantine-color-iris-light": dark.soft,
      "mantine-color-iris-light-hover": `color-mix(in srgb, ${dark.filled} 22%, transparent)`,
      "mantine-color-iris-outline-hover": `color-mix(in srgb, ${dark.text} 5%, transparent)`,
    }),
  ].join("");
}

/** Returns the product's mark in an accent colour, as SVG. Its shape is that of `components/icons/mark.tsx`. */
export function accentMark(accent: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${accentColors(accent).light.filled}"/><path d="M22.7 10.2a8.8 8.8 0 1 0 2.1 5.8H16" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><circle cx="16" cy="16" r="2.9" fill="#fff"/></svg>\n`;
}
