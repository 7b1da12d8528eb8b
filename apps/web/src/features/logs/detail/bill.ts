/** The arithmetic of a stored bill, step by step. Pure; exact, because ratios are decimal strings. */
import { trimEndOf } from "@gateway/shared/trim-end";
import type { Bill } from "@gateway/shared/usage/log";
import { phrasesIn } from "#lib/i18n.ts";
import { isTool } from "#lib/labels/usage-kinds.ts";

const phrase = phrasesIn("logs");

/** Returns why a part of the cost was not charged, to be translated. */
export function uncollectedLabel({ quote }: Bill) {
  return quote === undefined
    ? phrase("Not charged because the balance or the key's limit was too low")
    : phrase("Above the quoted price, not charged");
}

type Decimal = { value: bigint; scale: number };

function parse(text: string): Decimal {
  const [whole = "0", fraction = ""] = text.split(".");
  return { value: BigInt(whole + fraction), scale: fraction.length };
}

function decimalText({ value, scale }: Decimal): string {
  const digits = value.toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = trimEndOf(digits.slice(digits.length - scale), "0");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Multiplies two decimal strings exactly. */
export function multiply(a: string, b: string): string {
  const left = parse(a);
  const right = parse(b);
  return decimalText({ value: left.value * right.value, scale: left.scale + right.scale });
}

/** Returns the value of points as a decimal string; exact for every unit that divides a power of ten. */
export function worthOf(points: number, pointsPerUsd: number): string {
  return trimEndOf(trimEndOf((points / pointsPerUsd).toFixed(12), "0"), ".");
}

/** Returns whether the kind is priced per call instead of per token. */
export function isPerCall(bill: Bill, kind: string): boolean {
  return bill.price_type === "times" || isTool(kind);
}

export type MarksEffect = {
  /** Points that writing to the provider's cache cost more than plain input. */
  extra: number;
  /** Points that reading from it cost less than plain input. */
  saved: number;
};

const writes = ["cached_write_tokens", "cached_write_1h_tokens"];
const reads = ["cached_tokens", "cached_read_tokens"];

/** Returns what the prompt cache cost and saved; undefined for a bill without uncached input, which has no ratio of it. */
export function marksEffect({ lines, group_ratio: group }: Bill): MarksEffect | undefined {
  const input = lines.find(({ kind }) => kind === "input");
  if (input === undefined) return undefined;
  const surcharge = (kinds: readonly string[]) =>
    lines
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { amount, ratio }) => sum + amount * (Number(ratio) - Number(input.ratio)), 0) *
    Number(group);
  return { extra: Math.max(0, surcharge(writes)), saved: Math.max(0, -surcharge(reads)) };
}

/** Minimum decimals of a cost: those of a single point at the usual 500,000 per dollar. */
const COST_DECIMALS = 6;

/** Minimum decimals of a price. */
export const PRICE_DECIMALS = 2;

export type CostLine = { kind: string; amount: number; perCall: boolean; price: string; cost: string };

type Costs = {
  lines: CostLine[];
  /** Prints points with as many decimals as the costs have. */
  print: (points: number) => string;
  /** Prints how much points are above the sum of the costs; "" when they are not. */
  rounded: (points: number) => string;
};

/**
 * Returns each line in dollars: the paid price (per million tokens or per call, including the group's ratio)
 * and the cost. All costs have as many decimals as the longest needs, so that they add up exactly; so have all prices.
 */
export function costsOf(bill: Bill, pointsPerUsd: number): Costs {
  const [usdPerPoint, usdPerMillion] = [worthOf(1, pointsPerUsd), worthOf(1_000_000, pointsPerUsd)];
  const lines = bill.lines.map(({ kind, amount, ratio }) => {
    const perCall = isPerCall(bill, kind);
    const paid = multiply(ratio, bill.group_ratio);
    return {
      kind,
      amount,
      perCall,
      price: multiply(paid, perCall ? usdPerPoint : usdPerMillion),
      cost: multiply(multiply(String(amount), paid), usdPerPoint),
    };
  });
  const decimals = Math.max(COST_DECIMALS, ...lines.map(({ cost }) => decimalsOf(cost)));
  const ofPrices = Math.max(PRICE_DECIMALS, ...lines.map(({ price }) => decimalsOf(price)));
  const print = (points: number) => padDecimals(worthOf(points, pointsPerUsd), decimals);
  const sum = lines.reduce((total, { cost }) => total + unitsOf(padDecimals(cost, decimals)), 0n);
  return {
    lines: lines.map((line) => ({
      ...line,
      price: padDecimals(line.price, ofPrices),
      cost: padDecimals(line.cost, decimals),
    })),
    print,
    rounded(points) {
      const rest = unitsOf(print(points)) - sum;
      return rest > 0n ? padDecimals(decimalText({ value: rest, scale: decimals }), decimals) : "";
    },
  };
}

/** Returns a decimal number without its point. */
function unitsOf(text: string): bigint {
  return parse(text).value;
}

function decimalsOf(text: string): number {
  return text.split(".")[1]?.length ?? 0;
}

function padDecimals(text: string, decimals: number): string {
  const [whole = "0", fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(decimals, "0")}`;
}

/** Returns decimal numbers with as many decimals as the longest has. */
export function alignDecimals(numbers: readonly string[], least = 0): string[] {
  const decimals = Math.max(least, ...numbers.map(decimalsOf));
  return numbers.map((number) => (decimals === 0 ? number : padDecimals(number, decimals)));
}

export type ExplainedLine = { kind: string; amount: number; ratio: string; points: string };

/** Returns each line with its cost in points, including the group's ratio. */
export function explainLines(bill: Bill): ExplainedLine[] {
  return bill.lines.map(({ kind, amount, ratio }) => ({
    kind,
    amount,
    ratio,
    points: multiply(multiply(String(amount), ratio), bill.group_ratio),
  }));
}
