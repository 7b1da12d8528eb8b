/**
 * Computes the cost of a call: usage × price × group ratio, exact, rounded up once at the end. It must not
 * depend on balances, providers or the storage of prices.
 */
import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import { lookupTable } from "@gateway/shared/lookup-table";
import { foldModel } from "@gateway/shared/models/model-case";
import type { Bill } from "@gateway/shared/usage/log";
import type { Usage } from "#dialects/ir.ts";
import { usageCounts, usageParts } from "#dialects/usage/tokens.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import { digits, formatDecimal, one, parseDecimal, roundUp } from "./decimal.ts";

export interface PriceTier {
  /** Applies when the call has more input tokens than this. */
  above: number;
  input: string;
  output: string;
}

/** The price that applies to one call. Ratios are decimal strings, because they are exact. */
export interface ActivePrice {
  versionId: number;
  model: string;
  type: "tokens" | "times";
  /** Points per input token; for `times`, thousands of points per call. */
  input: string;
  output: string;
  /**
   * Multipliers by kind of usage. `tier:<name>` multiplies the price of all tokens. `tool:<name>` is the
   * price of one tool call in dollars.
   */
  extras: Record<string, string>;
  tiers: PriceTier[];
}

export interface PriceTable {
  exact: ReadonlyMap<string, ActivePrice>;
  /** By the name in lower case. */
  folded: ReadonlyMap<string, ActivePrice>;
  /** Prices whose model ends in `*`, longest first, with the rest of their name in lower case. */
  wildcards: readonly { prefix: string; price: ActivePrice }[];
}

/** Default multipliers, for kinds that a price does not contain. */
export const defaultExtras = {
  cached_tokens: "1",
  cached_read_tokens: "0.1",
  cached_write_tokens: "1.25",
  cached_write_1h_tokens: "2",
  input_audio_tokens: "1",
  output_audio_tokens: "1",
  input_image_tokens: "1",
  output_image_tokens: "1",
  reasoning_tokens: "1",
} as const;

export type ExtraKind = keyof typeof defaultExtras;

/** Default prices of provider tools, in dollars per call. Other tools are free. */
export const defaultToolPrices = lookupTable<string>({
  "web-search": "0.01",
  "file-search": "0.0025",
  "code-execution": "0.03",
  // A large image of the most expensive model: the tool's own tokens are not part of any reported usage.
  "image-generation": "0.17",
  // A thousand tokens of a cached content for one hour, of the most expensive model.
  "cache-storage": "0.0045",
});

export const toolPrefix = "tool:";

/** Prefix of a provider's service tier: a multiplier of all token prices. */
export const tierPrefix = "tier:";

/**
 * Returns the tier to reserve for, if it raises the price. A cheaper requested tier may not be granted. The
 * provider decides which tier "auto" means, so the most expensive one is used.
 */
export function reservedTier(price: ActivePrice, requested: string | undefined): string | undefined {
  if (requested === undefined) return undefined;
  const ratio = (tier: string) => parseDecimal(price.extras[tierPrefix + tier] ?? "1");
  const named = Object.keys(price.extras)
    .filter((kind) => kind.startsWith(tierPrefix))
    .map((kind) => kind.slice(tierPrefix.length));
  const possible = requested === "auto" ? named : named.filter((tier) => tier === requested);
  const dear = possible.filter((tier) => ratio(tier) > one);
  return dear.sort((a, b) => (ratio(a) < ratio(b) ? 1 : -1))[0];
}

/**
 * Reserves all output as images if the price has an image multiplier above 1: such a chat model may generate
 * images without a request for them.
 */
export function withPictures(price: ActivePrice, most: Usage): Usage {
  const ratio = price.extras["output_image_tokens"];
  if (ratio === undefined || parseDecimal(ratio) <= one) return most;
  return { ...most, imageOutput: Math.max(0, most.output - (most.audioOutput ?? 0)) };
}

const largestCount = 1_000_000_000;
const largestToolCount = 1_000_000;
/** A `times` price of 1 means a thousand points per call. */
const pointsPerCall = 1_000n;

export function tableOf(prices: Iterable<ActivePrice>): PriceTable {
  const exact = new Map<string, ActivePrice>();
  const folded = new Map<string, ActivePrice>();
  const wildcards: { prefix: string; price: ActivePrice }[] = [];
  for (const price of prices) {
    if (price.model.endsWith("*")) wildcards.push({ prefix: foldModel(price.model.slice(0, -1)), price });
    else {
      exact.set(price.model, price);
      folded.set(foldModel(price.model), price);
    }
  }
  wildcards.sort((a, b) => b.prefix.length - a.prefix.length);
  return { exact, folded, wildcards };
}

/**
 * Returns the price with the exact name, or else with the name in other letter case, or else the longest
 * matching wildcard. Some providers ignore letter case, so a wildcard must not make their models cheaper.
 */
export function findPrice({ exact, folded, wildcards }: PriceTable, model: string): ActivePrice | undefined {
  const same = exact.get(model);
  if (same !== undefined) return same;
  const name = foldModel(model);
  const near = folded.get(name);
  if (near !== undefined) return near;
  const first = wildcards.find(({ prefix }) => name.startsWith(prefix));
  if (first === undefined) return undefined;
  const { length } = first.prefix;
  const isSame = ({ model: pattern }: ActivePrice) => model.startsWith(pattern.slice(0, -1));
  return (
    wildcards.find(({ prefix, price }) => prefix.length === length && isSame(price))?.price ?? first.price
  );
}

/**
 * Returns whether the usage can be billed. A negative or absurd count is a provider's error, never a credit.
 */
export function isPossible(usage: Usage): boolean {
  for (const kind of usageCounts)
    if (usage[kind] !== undefined && !isCount(usage[kind], largestCount)) return false;
  const { toolCalls } = usage;
  return (
    toolCalls === undefined || Object.values(toolCalls).every((value) => isCount(value, largestToolCount))
  );
}

function isCount(value: unknown, largest: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= largest;
}

interface Line {
  kind: string;
  amount: number;
  /** Points per unit, before the group ratio, in 10⁻²⁴. */
  each: bigint;
}

const lineScale = digits * 2;
const billScale = digits * 3;

/**
 * Computes the bill of a call. Throws `upstream_failed` for an impossible usage.
 * @param groupRatio decimal string
 * @param calls multiplier of a `times` price
 */
export function computeBill(
  price: ActivePrice,
  groupRatio: string,
  usage: Usage,
  calls = 1,
): { points: bigint; bill: Bill } {
  const { group, tier, lines, exact } = calculate(price, groupRatio, usage, calls);
  return {
    points: roundUp(exact, billScale),
    bill: {
      price_type: price.type,
      group_ratio: formatDecimal(group, digits),
      ...(tier === undefined ? {} : { service_tier: tier }),
      lines: lines.map(({ kind, amount, each }) => ({ kind, amount, ratio: ratioText(each) })),
      exact: formatDecimal(exact, billScale),
    },
  };
}

/** Texts of the ratios in bills: prices are few. */
const ratioTexts = new Map<bigint, string>();
const mostRatioTexts = 2_000;

function ratioText(each: bigint): string {
  let text = ratioTexts.get(each);
  if (text === undefined) {
    text = formatDecimal(each, lineScale);
    if (ratioTexts.size >= mostRatioTexts) ratioTexts.clear();
    ratioTexts.set(each, text);
  }
  return text;
}

/** Computes the points of the same bill without its lines. Throws the same errors as `computeBill`. */
export function computePoints(price: ActivePrice, groupRatio: string, usage: Usage, calls = 1): bigint {
  return roundUp(calculate(price, groupRatio, usage, calls).exact, billScale);
}

interface Calculation {
  group: bigint;
  tier: Bill["service_tier"];
  lines: Line[];
  exact: bigint;
}

function calculate(price: ActivePrice, groupRatio: string, usage: Usage, calls: number): Calculation {
  if (!isPossible(usage)) throw new GatewayError("upstream_failed", { reason: "usage_impossible" });
  if (!Number.isSafeInteger(calls) || calls < 0 || calls > largestToolCount) {
    throw invalidRequest({ reason: "results_not_billable" });
  }
  const group = parseDecimal(groupRatio);
  const tier = price.type === "times" ? undefined : tierOf(price, usage);
  const lines = price.type === "times" ? callLines(price, calls) : tokenLines(price, usage, tier);
  for (const [name, amount] of usage.toolCalls === undefined ? [] : Object.entries(usage.toolCalls)) {
    const dollars = price.extras[toolPrefix + name] ?? defaultToolPrices[name] ?? "0";
    const each = parseDecimal(dollars) * BigInt(POINTS_PER_USD) * one;
    if (amount > 0) lines.push({ kind: toolPrefix + name, amount, each });
  }
  return { group, tier, lines, exact: sum(lines) * group };
}

/** Returns this percentage of a ratio, as a ratio; further decimals are truncated. */
export function shareOf(ratio: string, percent: number): string {
  return formatDecimal((parseDecimal(ratio) * BigInt(percent)) / 100n, digits);
}

/** Computes the points of a stored bill from its lines alone. */
export function recompute(bill: Bill): { points: bigint; exact: string } {
  const exact = sum(linesOf(bill)) * parseDecimal(bill.group_ratio);
  return { points: roundUp(exact, billScale), exact: formatDecimal(exact, billScale) };
}

/** Returns the points of a bill without the ratio of its group, as a decimal string. */
export function listPoints(bill: Pick<Bill, "lines">): string {
  return formatDecimal(sum(linesOf(bill)), lineScale);
}

function linesOf({ lines }: Pick<Bill, "lines">): Line[] {
  return lines.map(({ kind, amount, ratio }) => ({ kind, amount, each: parseLong(ratio) }));
}

/** Returns the cost of one line of a bill in points, exact. */
export function lineCost(line: Bill["lines"][number], groupRatio: string): string {
  return formatDecimal(BigInt(line.amount) * parseLong(line.ratio) * parseDecimal(groupRatio), billScale);
}

function sum(lines: Line[]): bigint {
  return lines.reduce((total, line) => total + BigInt(line.amount) * line.each, 0n);
}

/**
 * Parses a ratio of a bill. As a product of two decimals, it may have twice as many digits after the point.
 */
function parseLong(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  const high = fraction.slice(0, digits);
  const low = fraction.slice(digits).padEnd(digits, "0");
  return parseDecimal(high === "" ? whole : `${whole}.${high}`) * one + BigInt(low);
}

function callLines(price: ActivePrice, calls: number): Line[] {
  return [{ kind: "calls", amount: calls, each: parseDecimal(price.input) * pointsPerCall * one }];
}

/** Returns the service tier of a call if the price contains it. */
function tierOf(price: ActivePrice, { tier }: Usage): Bill["service_tier"] {
  const ratio = tier === undefined ? undefined : price.extras[tierPrefix + tier];
  return tier === undefined || ratio === undefined ? undefined : { name: tier, ratio };
}

function tokenLines(price: ActivePrice, usage: Usage, tier: Bill["service_tier"]): Line[] {
  const { input, output } = ratiosFor(price, usage.input);
  if (tier === undefined && !hasShares(usage)) {
    const plain: Line[] = [];
    if (usage.input > 0) plain.push({ kind: "input", amount: usage.input, each: parseDecimal(input) * one });
    if (usage.output > 0)
      plain.push({ kind: "output", amount: usage.output, each: parseDecimal(output) * one });
    return plain;
  }
  const read = cacheReadKind(price, usage);
  // Prices have at most ten decimals and tiers at most four, so this division truncates nothing.
  const times = parseDecimal(tier?.ratio ?? "1");
  const lines = [
    ...shareOut("input", usage.input, input, price, [
      ["cached_write_1h_tokens", usage.cacheWrite1h],
      ["cached_write_tokens", usage.cacheWrite5m],
      [read, usage.cacheRead],
      ["input_audio_tokens", usage.audioInput],
      ["input_image_tokens", usage.imageInput],
    ]),
    ...shareOut("output", usage.output, output, price, [
      ["output_audio_tokens", usage.audioOutput],
      ["output_image_tokens", usage.imageOutput],
      ["reasoning_tokens", usage.reasoning],
    ]),
  ];
  return tier === undefined ? lines : lines.map((line) => ({ ...line, each: (line.each * times) / one }));
}

/** Whether a usage has a part with a price of its own. */
function hasShares(usage: Usage): boolean {
  for (const kind of usageParts) if ((usage[kind] ?? 0) > 0) return true;
  return false;
}

/** Returns the tier with the highest threshold that the input exceeds, or else the price itself. */
function ratiosFor(price: ActivePrice, inputTokens: number): { input: string; output: string } {
  let chosen: PriceTier | undefined;
  for (const tier of price.tiers) {
    if (inputTokens > tier.above && tier.above >= (chosen?.above ?? 0)) chosen = tier;
  }
  return chosen ?? price;
}

/**
 * Providers that bill cache writes discount reads to a tenth (`cached_read_tokens`). Discounts of other
 * providers vary, so `cached_tokens` has none unless the price sets it. If a price contains only one of the
 * two, that one applies.
 */
function cacheReadKind(price: ActivePrice, usage: Usage): ExtraKind {
  const billsWrites = usage.cacheWrite5m !== undefined || usage.cacheWrite1h !== undefined;
  const kinds: [ExtraKind, ExtraKind] = billsWrites
    ? ["cached_read_tokens", "cached_tokens"]
    : ["cached_tokens", "cached_read_tokens"];
  return kinds.find((kind) => price.extras[kind] !== undefined) ?? kinds[0];
}

/**
 * Splits a total into its shares and the rest, so that no token counts twice. Shares that overlap (cached
 * audio) or exceed their total are truncated in the given order. The amounts always sum up to the total.
 */
function shareOut(
  rest: "input" | "output",
  total: number,
  ratio: string,
  price: ActivePrice,
  shares: [ExtraKind, number | undefined][],
): Line[] {
  const base = parseDecimal(ratio);
  const lines: Line[] = [];
  let left = total;
  for (const [kind, share = 0] of shares) {
    const amount = Math.min(share, left);
    if (amount <= 0) continue;
    left -= amount;
    const multiplier = price.extras[kind] ?? defaultExtras[kind];
    lines.push({ kind, amount, each: base * parseDecimal(multiplier) });
  }
  const remaining = { kind: rest, amount: left, each: base * one };
  return left > 0 ? [remaining, ...lines] : lines;
}
