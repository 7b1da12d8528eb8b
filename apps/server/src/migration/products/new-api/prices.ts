import { toolPrefix } from "#domain/pricing/pricing.ts";
import { objectOption } from "#migration/family/go-options.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { PriceRecord } from "#migration/records.ts";
import { decimal, record } from "#migration/row.ts";

/** The ratios of one model, as numbers; undefined where New API has its own number and does not store it. */
interface Ratios {
  price?: number | undefined;
  input?: number | undefined;
  completion?: number | undefined;
  cache?: number | undefined;
  createCache?: number | undefined;
  audio?: number | undefined;
  audioCompletion?: number | undefined;
  image?: number | undefined;
}

const tables = {
  price: ["ModelPrice", "model_price"],
  input: ["ModelRatio", "model_ratio"],
  completion: ["CompletionRatio", "completion_ratio"],
  cache: ["CacheRatio", "cache_ratio"],
  createCache: ["CreateCacheRatio", "create_cache_ratio"],
  audio: ["AudioRatio", "audio_ratio"],
  audioCompletion: ["AudioCompletionRatio", "audio_completion_ratio"],
  image: ["ImageRatio", "image_ratio"],
} as const satisfies Record<keyof Ratios, readonly [string, string]>;
const kinds = Object.keys(tables) as (keyof Ratios)[];

const defaultWrite = 1.25;
const hourly = 1.6;
const unitDefault = 500_000;

export async function* newApiPrices(context: ReadContext): AsyncGenerator<PriceRecord> {
  const { book } = context;
  const tools = toolPrices(context);
  const tiered = objectOption(context, "billing_setting.billing_mode");
  for (const [model, ratios] of ratiosByModel(context)) {
    book.read("prices");
    if (tiered[model] === "tiered_expr") {
      book.skip("prices", "price_expression", model);
      continue;
    }
    // Here compaction is billed as the model itself.
    if (model.endsWith("-openai-compact")) {
      book.skip("prices", "price_compact", model);
      continue;
    }
    const price = priceOf(model, ratios, context);
    if (price === undefined) continue;
    if (price.type === "tokens") Object.assign(price.extras, tools);
    yield price;
  }
}

/** `--prices` (what the running program sends at /api/pricing or /api/ratio_config) counts; else what the options hold. */
function ratiosByModel(context: ReadContext): Map<string, Ratios> {
  const models = new Map<string, Ratios>();
  const set = (model: string, kind: keyof Ratios, value: unknown) => {
    const number = Number(value);
    if (value === null || value === undefined || value === "" || !Number.isFinite(number)) return;
    models.set(model, { ...models.get(model), [kind]: number });
  };
  for (const kind of kinds)
    for (const [model, value] of Object.entries(objectOption(context, tables[kind][0])))
      set(model, kind, value);
  const data = record(context.priceFile)["data"] ?? context.priceFile;
  if (Array.isArray(data))
    for (const entry of data.map(record)) {
      const model = typeof entry["model_name"] === "string" ? entry["model_name"] : "";
      if (model === "") continue;
      models.delete(model);
      const perCall = Number(entry["quota_type"]) === 1;
      for (const kind of kinds)
        if (kind === "price" ? perCall : !(perCall && kind === "input"))
          set(model, kind, entry[tables[kind][1]]);
    }
  else
    for (const kind of kinds)
      for (const [model, value] of Object.entries(record(record(data)[tables[kind][1]])))
        set(model, kind, value);
  return models;
}

/** Dollars per 1,000 calls there, per call here. */
function toolPrices(context: ReadContext): Record<string, string> {
  const prices = objectOption(context, "tool_price_setting.prices");
  return Object.fromEntries(
    [
      ["web_search", "web-search"],
      ["file_search", "file-search"],
    ].flatMap(([there = "", here = ""]) => {
      const price = decimal(prices[there]);
      return price === undefined || Number(price) < 0
        ? []
        : [[`${toolPrefix}${here}`, decimal(Number(price) / 1_000) ?? "0"]];
    }),
  );
}

function priceOf(model: string, ratios: Ratios, { options, book }: ReadContext): PriceRecord | undefined {
  const { price, input, completion } = ratios;
  const base = { model, channelType: 0, tiers: [], locked: false };
  if (price !== undefined && price >= 0) {
    const unit = Number(options.get("QuotaPerUnit") ?? unitDefault) || unitDefault;
    return { ...base, type: "times", input: decimal((price * unit) / 1_000) ?? "0", output: "0", extras: {} };
  }
  if (input === undefined) return undefined;
  if (input < 0 || (completion ?? 0) < 0) {
    book.skip("prices", "price_unusable", model);
    return undefined;
  }
  if (completion === undefined) {
    book.skip("prices", "price_incomplete", model);
    return undefined;
  }
  return {
    ...base,
    type: "tokens",
    input: decimal(input) ?? "0",
    output: decimal(input * completion) ?? "0",
    extras: extrasOf(ratios, completion),
  };
}

function extrasOf(ratios: Ratios, completion: number): Record<string, string> {
  const read = ratios.cache ?? 1;
  const write = ratios.createCache ?? defaultWrite;
  const { audio, audioCompletion = 1, image } = ratios;
  const extras: Record<string, number | undefined> = {
    cached_tokens: read,
    cached_read_tokens: read,
    cached_write_tokens: write,
    cached_write_1h_tokens: write * hourly,
    input_audio_tokens: audio,
    // Ours multiplies the output's ratio, theirs the input's.
    output_audio_tokens:
      audio === undefined || completion === 0 ? undefined : (audio * audioCompletion) / completion,
    input_image_tokens: image,
  };
  return Object.fromEntries(
    Object.entries(extras).flatMap(([kind, value]) => {
      const ratio = value === undefined || value < 0 ? undefined : decimal(value);
      return ratio === undefined ? [] : [[kind, ratio]];
    }),
  );
}
