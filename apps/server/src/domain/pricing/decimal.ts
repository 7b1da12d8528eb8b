import { trimEndOf } from "@gateway/shared/trim-end";
/**
 * Exact decimal numbers ≥ 0 as integers of 10⁻¹². Products and sums stay exact; only the final use rounds.
 */
export const digits = 12;
export const one = 10n ** BigInt(digits);

const shape = /^(\d{1,15})(?:\.(\d+))?$/;

/** "2.5" → 2_500_000_000_000n. Throws RangeError on anything but a plain decimal ≥ 0 with at most 12 decimals. */
export function parseDecimal(text: string): bigint {
  let value = parsed.get(text);
  if (value === undefined) {
    value = parseAnew(text);
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(text, value);
  }
  return value;
}

/** Cache: prices and ratios are few, and every bill parses the same ones. */
const parsed = new Map<string, bigint>();
const MAX_PARSED = 2_000;

function parseAnew(text: string): bigint {
  const match = shape.exec(text);
  const fraction = trimEndOf(match?.[2] ?? "", "0");
  if (match?.[1] === undefined || fraction.length > digits) {
    throw new RangeError(`"${text}" is not a decimal number from 0 with at most ${digits} decimals.`);
  }
  return BigInt(match[1] + fraction.padEnd(digits, "0"));
}

const ZERO = 0x30;

/** Formats an integer of 10^-`scale` as the shortest decimal string. */
export function formatDecimal(value: bigint, scale: number): string {
  const text = value.toString().padStart(scale + 1, "0");
  const point = text.length - scale;
  // A loop, because a pattern that ends in "$" is tried at every position.
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end -= 1;
  const whole = text.slice(0, point);
  return end === point ? whole : `${whole}.${text.slice(point, end)}`;
}

const powers: bigint[] = [];

function powerOfTen(scale: number): bigint {
  return (powers[scale] ??= 10n ** BigInt(scale));
}

/** Rounds up to the next integer. */
export function roundUp(value: bigint, scale: number): bigint {
  const unit = powerOfTen(scale);
  return (value + unit - 1n) / unit;
}
