import { currentLocale } from "#lib/i18n.ts";

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Formats a size in the current language: 512 B, 34.7 MB. A megabyte has 1,000,000 bytes. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return new Intl.NumberFormat(currentLocale(), {
    style: "unit",
    unit: units[step],
    unitDisplay: step === 0 ? "narrow" : "short",
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}
