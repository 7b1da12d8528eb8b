/** The arithmetic of a stored bill, shown step by step. Pure; exact, because ratios are decimal strings. */
import type { Bill } from "@gateway/shared/usage/log";

type Decimal = { value: bigint; scale: number };

function parse(text: string): Decimal {
  const [whole = "0", fraction = ""] = text.split(".");
  return { value: BigInt(whole + fraction), scale: fraction.length };
}

function print({ value, scale }: Decimal): string {
  const digits = value.toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Of two decimal strings, exactly. */
export function multiply(a: string, b: string): string {
  const left = parse(a);
  const right = parse(b);
  return print({ value: left.value * right.value, scale: left.scale + right.scale });
}

export type ExplainedLine = { kind: string; amount: number; ratio: string; points: string };

/** Each line with what it costs in points, the group's ratio included. */
export function explainLines(bill: Bill): ExplainedLine[] {
  return bill.lines.map(({ kind, amount, ratio }) => ({
    kind,
    amount,
    ratio,
    points: multiply(multiply(String(amount), ratio), bill.group_ratio),
  }));
}

/** Kinds that are part of the input, and those of them that came from a cache. */
const cacheReads = new Set(["cached_tokens", "cached_read_tokens"]);

/** Share of the input that was read from a cache, 0 to 1. */
export function cachedShare(bill: Bill | null, promptTokens: number): number {
  if (!bill || promptTokens <= 0) return 0;
  const cached = bill.lines
    .filter((line) => cacheReads.has(line.kind))
    .reduce((sum, line) => sum + line.amount, 0);
  return Math.min(1, cached / promptTokens);
}
