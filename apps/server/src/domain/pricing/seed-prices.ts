import { announce } from "#platform/announcements.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import { inTransaction } from "#platform/database/transaction.ts";
import { formatDecimal, one, parseDecimal } from "./decimal.ts";
import priceList from "./price-list.json" with { type: "json" };
import { addPrices, type SavePrice } from "./prices.ts";
import { tierPrefix, toolPrefix } from "./pricing.ts";

/** Dollars per million tokens, or per call, as published by the providers. */
interface SeedPrice {
  models: string[];
  input?: string;
  output?: string;
  cached?: string;
  cacheWrite5m?: string;
  cacheWrite1h?: string;
  audioInput?: string;
  audioOutput?: string;
  imageInput?: string;
  imageOutput?: string;
  tools?: Record<string, string>;
  tiers?: { above: number; input: string; output: string }[];
  /** Multipliers of these prices by service tier. */
  service?: Partial<Record<string, string>>;
  call?: string;
}

interface Provider {
  owner: number;
  /** The page that was read, and the date; never a page that was not opened. */
  source: string;
  date: string;
  /** The provider's own page, when the source is a different page. */
  page?: string;
  note?: string;
  /** Source of the service tier multipliers. */
  service?: { source: string; date: string; note?: string };
  prices: SeedPrice[];
}

/** Returns the price list of this version. */
export function listedPrices(): SavePrice[] {
  const providers: Provider[] = priceList.providers;
  return providers.flatMap((provider) =>
    provider.prices.flatMap((listed) =>
      listed.models.map((model) => ({
        ...ratiosOf(listed),
        model,
        channelType: provider.owner,
        locked: false,
      })),
    ),
  );
}

/** A ratio of 1 means $2 per million tokens, or $0.002 per call. */
const dollarsPerMillion = 2n;
const ratioPerDollarOfCall = 500n;

function ratiosOf(listed: SeedPrice): Omit<SavePrice, "model" | "channelType" | "locked"> {
  if (listed.call !== undefined) {
    const input = formatDecimal(parseDecimal(listed.call) * ratioPerDollarOfCall, 12);
    return { type: "times", input, output: "0", extras: {}, tiers: [] };
  }
  const { input = "0", output = "0" } = listed;
  return {
    type: "tokens",
    input: perThousandTokens(input),
    output: perThousandTokens(output),
    extras: extrasOf(listed, input, output),
    tiers: (listed.tiers ?? []).map((tier) => ({
      above: tier.above,
      input: perThousandTokens(tier.input),
      output: perThousandTokens(tier.output),
    })),
  };
}

function extrasOf(listed: SeedPrice, input: string, output: string): Record<string, string> {
  const billsWrites = listed.cacheWrite5m !== undefined;
  const shares: [string, string | undefined, string][] = [
    [billsWrites ? "cached_read_tokens" : "cached_tokens", listed.cached, input],
    ["cached_write_tokens", listed.cacheWrite5m, input],
    ["cached_write_1h_tokens", listed.cacheWrite1h, input],
    ["input_audio_tokens", listed.audioInput, input],
    ["output_audio_tokens", listed.audioOutput, output],
    ["input_image_tokens", listed.imageInput, input],
    ["output_image_tokens", listed.imageOutput, output],
  ];
  const tools = Object.entries(listed.tools ?? {}).map(([name, dollars]) => [toolPrefix + name, dollars]);
  return Object.fromEntries([
    ...shares.flatMap(([kind, dollars, base]) =>
      dollars === undefined ? [] : [[kind, quotient(dollars, base)]],
    ),
    ...tools,
    ...Object.entries(listed.service ?? {}).map(([tier, times = "1"]) => [tierPrefix + tier, times]),
  ]);
}

function perThousandTokens(dollars: string): string {
  return formatDecimal(parseDecimal(dollars) / dollarsPerMillion, 12);
}

/**
 * Returns a multiplier with ten decimals. Further digits are truncated; the bill's rounding up compensates.
 */
function quotient(dollars: string, base: string): string {
  const kept = one / 100n;
  return formatDecimal((parseDecimal(dollars) * kept) / parseDecimal(base), 10);
}

/**
 * Adds listed prices of models that this installation has never had. Prices that an operator edited or
 * removed stay unchanged. Returns the number of added prices.
 */
export async function seedPrices(db: Db): Promise<number> {
  return inTransaction(db, async (tx) => {
    // Serializes nodes that start at the same time.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.seedPrices})`;
    const known = await tx.priceVersion.findMany({ distinct: ["model"], select: { model: true } });
    const had = new Set(known.map((version) => version.model));
    const missing = listedPrices().filter((price) => !had.has(price.model));
    if (missing.length === 0) return 0;
    await addPrices(tx, missing);
    await announce(tx, "prices");
    return missing.length;
  });
}
