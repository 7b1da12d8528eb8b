import { objectOption } from "#migration/family/go-options.ts";
import type { ReadContext } from "#migration/products/product.ts";
import type { PriceRecord } from "#migration/records.ts";
import { decimal, int, json, list, parseJson, record, text } from "#migration/row.ts";

/** `--prices`: what One API sends root at /api/option/, or an object of its options. Its own tables win. */
function ratios(context: ReadContext, key: string): Record<string, unknown> {
  const file = record(context.priceFile);
  const data = file["data"] ?? context.priceFile;
  const found = Array.isArray(data)
    ? data.map(record).find((entry) => entry["key"] === key)?.["value"]
    : record(data)[key];
  const given = typeof found === "string" ? record(parseJson(found)) : record(found);
  return { ...given, ...objectOption(context, key) };
}

/** One ratio per model; the output's by a second table, else by the name. There is no discount for cached tokens. */
export async function* oneApiPrices(context: ReadContext): AsyncGenerator<PriceRecord> {
  const { book } = context;
  const completions = ratios(context, "CompletionRatio");
  const inputs = ratios(context, "ModelRatio");
  const offered = await typesByModel(context);
  const prices = new Map<string, PriceRecord>();
  for (const [name, value] of Object.entries(inputs)) {
    book.read("prices");
    const [, model = name, type] = /^(.*)\((\d+)\)$/.exec(name) ?? [];
    // Here a model has one price. One for a type of channel is that price if no other type offers the model.
    if (type !== undefined && !isOnly(offered.get(model), Number(type))) {
      book.skip("prices", "price_by_type", name);
      continue;
    }
    const input = decimal(value);
    if (input === undefined || Number(input) < 0) {
      book.skip("prices", "price_unusable", name);
      continue;
    }
    if (type === undefined && prices.has(model)) {
      book.skip("prices", "price_by_type", name);
      continue;
    }
    if (prices.has(model)) book.skip("prices", "price_by_type", model);
    const completion = Number(
      decimal(type === undefined ? undefined : completions[name]) ??
        decimal(completions[model]) ??
        completionOf(model),
    );
    prices.set(model, {
      model,
      type: "tokens",
      channelType: 0,
      input,
      output: decimal(Number(input) * completion) ?? "0",
      extras: {
        cached_tokens: "1",
        cached_read_tokens: "1",
        cached_write_tokens: "1",
        cached_write_1h_tokens: "1",
      },
      tiers: [],
      locked: false,
    });
  }
  yield* prices.values();
}

function isOnly(types: ReadonlySet<number> | undefined, type: number): boolean {
  return types?.size === 1 && types.has(type);
}

/** Types of the channels that a model is billed for: the mapped name counts. */
async function typesByModel({ source }: ReadContext): Promise<Map<string, Set<number>>> {
  const types = new Map<string, Set<number>>();
  for await (const row of source.rows({ table: "channels" })) {
    const mapping = record(json(row, "model_mapping"));
    for (const model of list(text(row, "models"))) {
      const target = mapping[model];
      const billed = typeof target === "string" && target !== "" ? target : model;
      types.set(billed, (types.get(billed) ?? new Set()).add(int(row, "type")));
    }
  }
  return types;
}

/** What output costs of input where no table says it: One API's rules by name. */
const byName: readonly [RegExp, number][] = [
  [/^gpt-3\.5-turbo(-0125)?$/, 3],
  [/^gpt-3\.5.*1106$/, 2],
  [/^gpt-3\.5/, 4 / 3],
  [/^gpt-4o-2024-05-13$/, 3],
  [/^gpt-4o/, 4],
  [/^gpt-4-turbo|^gpt-4.*preview$/, 3],
  [/^gpt-4/, 2],
  [/^o1/, 4],
  [/^chatgpt-4o-latest$/, 3],
  [/^claude-3/, 5],
  [/^claude-/, 3],
  [/^(mistral-|gemini-)/, 3],
  [/^deepseek-/, 2],
];

function completionOf(model: string): number {
  return byName.find(([pattern]) => pattern.test(model))?.[1] ?? 1;
}
