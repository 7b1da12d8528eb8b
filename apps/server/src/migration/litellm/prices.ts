/**
 * Prices in dollars per token: the operator's own, which stand with a deployment, and LiteLLM's list, which is part of the program.
 * Save what `/model/info` or `/get/litellm_model_cost_map` sends and give the file as `--prices`.
 */
import type { ReadContext } from "#migration/products/product.ts";
import type { PriceRecord } from "#migration/records.ts";
import { record } from "#migration/row.ts";
import { type Deployment, deploymentsOf, textOf } from "./deployments.ts";
import { dollarsOf, multiplierOf, ratioOf } from "./dollars.ts";

const perToken = "input_cost_per_token";

export function hasOwnPrice({ params, info }: Deployment): boolean {
  return [params, info].some((values) => dollarsOf(values[perToken]) !== undefined);
}

export async function* litellmPrices(context: ReadContext): AsyncGenerator<PriceRecord> {
  const { deployments } = await deploymentsOf(context);
  const list = listOf(context.priceFile);
  const done = new Map<string, string>();
  for (const deployment of deployments) {
    const { name, params, info, place } = deployment;
    const isOwn = hasOwnPrice(deployment);
    const model = isOwn ? name : place.upstream;
    const values = isOwn
      ? { ...info, ...params }
      : (list.get(textOf(params["model"])) ??
        list.get(place.upstream) ??
        list.get(`${place.provider}/${place.upstream}`) ??
        list.get(name));
    if (values === undefined) continue;
    const price = priceOf(model, values, context);
    if (price === undefined) continue;
    const known = done.get(model);
    const written = JSON.stringify(price);
    if (known === written) continue;
    context.book.read("prices");
    if (known !== undefined) {
      context.book.skip("prices", "price_by_deployment", model);
      continue;
    }
    done.set(model, written);
    yield price;
  }
}

/** By model: the answer of `/model/info`, or the cost map. */
function listOf(file: unknown): Map<string, Record<string, unknown>> {
  const { data } = record(file);
  const list = new Map<string, Record<string, unknown>>();
  if (Array.isArray(data))
    for (const entry of data.map(record)) {
      const info = record(entry["model_info"]);
      for (const name of [textOf(record(entry["litellm_params"])["model"]), textOf(info["key"])])
        if (name !== "" && dollarsOf(info[perToken]) !== undefined) list.set(name, info);
    }
  else for (const [name, values] of Object.entries(record(file))) list.set(name, record(values));
  return list;
}

const extras = {
  cache_read_input_token_cost: ["cached_tokens", "cached_read_tokens"],
  cache_creation_input_token_cost: ["cached_write_tokens"],
  cache_creation_input_token_cost_above_1hr: ["cached_write_1h_tokens"],
  input_cost_per_audio_token: ["input_audio_tokens"],
  input_cost_per_image_token: ["input_image_tokens"],
} as const;
const outputExtras = {
  output_cost_per_audio_token: "output_audio_tokens",
  output_cost_per_image_token: "output_image_tokens",
  output_cost_per_reasoning_token: "reasoning_tokens",
} as const;
const aboveTokens = /^input_cost_per_token_above_(\d+)k_tokens$/;
const elsewhere = /^(input|output)_cost_per_(second|image|pixel|character|video|query|request)/;

function priceOf(
  model: string,
  values: Record<string, unknown>,
  { book }: ReadContext,
): PriceRecord | undefined {
  const cost = (name: string) => dollarsOf(values[name]);
  const input = cost(perToken);
  const output = cost("output_cost_per_token") ?? 0;
  const [inputRatio, outputRatio] = [ratioOf(input ?? 0), ratioOf(output)];
  if (Object.keys(values).some((name) => elsewhere.test(name) && (cost(name) ?? 0) > 0))
    book.attention("price_unit", model);
  if (input === undefined || input < 0 || output < 0 || inputRatio === undefined || outputRatio === undefined)
    return undefined;
  const found: Record<string, string> = {
    cached_tokens: "1",
    cached_read_tokens: "1",
    cached_write_tokens: "1",
    cached_write_1h_tokens: "1",
  };
  const set = (kind: string, ratio: string | undefined) => {
    if (ratio !== undefined) found[kind] = ratio;
  };
  for (const [name, kinds] of Object.entries(extras)) {
    const value = cost(name);
    if (value === undefined) continue;
    for (const kind of kinds) set(kind, multiplierOf(value, input));
  }
  const write = cost("cache_creation_input_token_cost");
  if (write !== undefined && cost("cache_creation_input_token_cost_above_1hr") === undefined)
    set("cached_write_1h_tokens", multiplierOf(write, input));
  for (const [name, kind] of Object.entries(outputExtras)) {
    const value = cost(name);
    if (value !== undefined) set(kind, multiplierOf(value, output));
  }
  for (const tier of ["priority", "flex"]) {
    const value = cost(`${perToken}_${tier}`);
    if (value !== undefined) set(`tier:${tier}`, multiplierOf(value, input, 4));
  }
  return {
    model,
    type: "tokens",
    channelType: 0,
    input: inputRatio,
    output: outputRatio,
    extras: found,
    tiers: Object.keys(values).flatMap((name) => {
      const above = Number(aboveTokens.exec(name)?.[1]) * 1_000;
      const more = cost(name);
      if (!(above > 0) || more === undefined) return [];
      const moreOut = cost(name.replace("input_", "output_")) ?? output;
      return [{ above, input: ratioOf(more) ?? inputRatio, output: ratioOf(moreOut) ?? outputRatio }];
    }),
    locked: true,
  };
}
