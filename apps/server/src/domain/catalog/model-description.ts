import type { PriceTable } from "#domain/pricing/pricing.ts";
import { findPrice } from "#domain/pricing/pricing.ts";
import type { Db } from "#platform/database/db.ts";
import { listOwners } from "./owners.ts";

/** Properties of a model in a model list. */
export interface ModelDescription {
  /** Owner of the model according to its price; "" if no price or owner is known. */
  owner: string;
  /** The model's own name if the catalogue has none. */
  displayName: string;
  /** In tokens; 0 means unknown. */
  contextLength: number;
  maxTokens: number;
}

/** @param table the active price list, which determines the price entry for a model name */
export async function describeModels(
  db: Db,
  table: PriceTable,
  models: readonly string[],
): Promise<Map<string, ModelDescription>> {
  const [prices, owners, infos] = await Promise.all([
    db.price.findMany({ select: { model: true, channel_type: true } }),
    listOwners(db),
    db.modelInfo.findMany({
      where: { model: { in: [...models] } },
      select: { model: true, name: true, context_length: true, max_tokens: true },
    }),
  ]);
  const ownerOf = new Map(prices.map((price) => [price.model, price.channel_type]));
  const names = new Map(owners.map((owner) => [owner.id, owner.name]));
  const infoOf = new Map(infos.map((info) => [info.model, info]));
  return new Map(
    models.map((model) => {
      const info = infoOf.get(model);
      return [
        model,
        {
          owner: names.get(ownerOf.get(findPrice(table, model)?.model ?? "") ?? 0) ?? "",
          displayName: info === undefined || info.name === "" ? model : info.name,
          contextLength: info?.context_length ?? 0,
          maxTokens: info?.max_tokens ?? 0,
        },
      ];
    }),
  );
}
