/** Prices in One Hub's format: missing numbers are 0, and the owner may be unknown, with any number. */
import { PriceInput, PriceRow } from "@gateway/shared/billing/price";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { viewerOf } from "#console/guards.ts";
import { validate } from "#console/validation.ts";
import { changePrice, createPrice, deletePrices, savePriceGroup } from "#domain/pricing/edit-prices.ts";
import { priceRowToJson } from "#domain/pricing/price-json.ts";
import type { PriceRow as StoredPrice } from "#domain/pricing/prices.ts";
import { oneHubBody } from "./plugin/older.ts";
import { ignoreNotFound } from "./plugin/refusals.ts";
import { type CompatRoute, handleWith } from "./plugin/route.ts";

const values = {
  type: PriceInput.shape.type,
  channel_type: z.int("Channel type error").min(0, "Channel type error").default(0),
  input: PriceInput.shape.input.default(0),
  output: PriceInput.shape.output.default(0),
  locked: PriceInput.shape.locked,
  extra_ratios: PriceInput.shape.extra_ratios,
  tiers: PriceInput.shape.tiers,
};
const model = PriceInput.shape.model;
const Price = oneHubBody({ ...values, model });
const Mentioned = z.record(z.string(), z.unknown());
const ModelPath = z.object({ "*": z.string().min(1, "Model name is required").max(160) });

const create = handleWith({ body: Price, data: PriceRow }, async ({ body }, { request, services }) => ({
  data: priceRowToJson(await createPrice(services.db, viewerOf(request), body, "any")),
}));

const change = handleWith(
  { params: ModelPath, body: z.unknown(), data: PriceRow },
  async ({ params, body }, { request, services }) => {
    const mentioned = validate(Mentioned, body);
    // Fields that are not mentioned stay.
    const edit = (now: StoredPrice) => validate(Price, { ...priceRowToJson(now), ...mentioned });
    const changed = await changePrice(services.db, viewerOf(request), params["*"], edit, "any");
    return { data: priceRowToJson(changed) };
  },
);

const Group = oneHubBody({
  original_models: z.array(z.string().max(160)).max(2_000).default([]),
  models: z.array(model).min(1, "At least one model is required").max(2_000),
  price: oneHubBody(values),
});

const saveGroup = handleWith({ body: Group, data: Nothing }, async ({ body }, { request, services }) => {
  const models = [...new Set(body.models)];
  // Names that already have a price get this one.
  const original_models = [...new Set([...body.original_models, ...models])];
  const group = { models, original_models, price: body.price };
  await savePriceGroup(services.db, viewerOf(request), group, "any");
  return { data: null };
});

const Names = z.object({ models: z.array(z.string().max(160)).max(20_000).default([]) });

const deleteGroup = handleWith(
  { body: Names, data: z.object({ deleted: z.int() }) },
  async ({ body }, { request, services }) => {
    const deleted = await ignoreNotFound(deletePrices(services.db, viewerOf(request), body.models));
    return { data: { deleted: deleted ?? 0 } };
  },
);

export const priceCompat: Record<string, CompatRoute> = {
  "POST /prices/single": { handle: create },
  "PUT /prices/single/*": { handle: change },
  "POST /prices/multiple": { handle: saveGroup },
  "PUT /prices/multiple/delete": { handle: deleteGroup },
};
