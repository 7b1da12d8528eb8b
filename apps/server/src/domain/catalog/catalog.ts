/** The models that a user can reach, through which groups, and at what price. */
import type { AvailableModels } from "@gateway/shared/models/model";
import { usableGroups } from "#domain/accounts/groups/groups.ts";
import { activePrice, type PriceRow } from "#domain/pricing/prices.ts";
import { findPrice, tableOf } from "#domain/pricing/pricing.ts";
import type { Db } from "#platform/database/db.ts";
import { describeModels } from "./model-description.ts";
import { listOwners } from "./owners.ts";

/**
 * Returns the models of the groups that this user may use, by name; a guest sees the public groups. A
 * wildcard of a channel is expanded to the priced models that it matches.
 * @param ranks models by usage
 */
export async function availableModels(
  db: Db,
  ranks: ReadonlyMap<string, number>,
  ownGroup?: string,
): Promise<AvailableModels> {
  const usable = (await usableGroups(db, ownGroup)).map((group) => group.symbol);
  const inGroups = { group: { in: usable } };
  const channels = await db.channel.findMany({
    where: { status: 1, deleted_at: null, groups: { some: inGroups } },
    select: {
      type: true,
      models: { select: { model: true }, orderBy: { position: "asc" } },
      groups: { select: { group: true }, where: inGroups },
    },
    orderBy: { id: "asc" },
  });
  const [prices, infos] = await Promise.all([
    db.price.findMany({ include: { extras: true } }),
    db.modelInfo.findMany({ omit: { id: true, created_at: true, updated_at: true } }),
  ]);
  const infoOf = new Map(infos.map(({ model, ...info }) => [model, info]));
  const owners = new Map((await listOwners(db)).map((owner) => [owner.id, owner.name]));
  const byName = new Map(prices.map((price) => [price.model, price]));
  const table = tableOf(prices.map(activePrice));

  const models = new Map<string, AvailableModels[string]>();
  for (const { type, models: offered, groups } of channels) {
    for (const name of offered.flatMap(({ model }) => namesOf(model, byName))) {
      const price = byName.get(findPrice(table, name)?.model ?? "");
      const entry = models.get(name) ?? {
        groups: [],
        owned_by: owners.get(price?.channel_type ?? type) ?? "",
        price: price === undefined ? null : describePrice(price),
        info: infoOf.get(name) ?? null,
        rank: ranks.get(name) ?? null,
      };
      models.set(name, entry);
      for (const { group } of groups) if (!entry.groups.includes(group)) entry.groups.push(group);
    }
  }
  return Object.fromEntries(models);
}

function namesOf(pattern: string, prices: ReadonlyMap<string, PriceRow>): string[] {
  if (!pattern.endsWith("*")) return [pattern];
  const prefix = pattern.slice(0, -1);
  return [...prices.keys()].filter((name) => name.startsWith(prefix) && !name.endsWith("*"));
}

function describePrice(price: PriceRow) {
  return {
    model: price.model,
    type: price.type,
    channel_type: price.channel_type,
    locked: price.locked,
    input: price.input.toNumber(),
    output: price.output.toNumber(),
    extra_ratios: Object.fromEntries(price.extras.map((extra) => [extra.kind, extra.value.toNumber()])),
    tiers: activePrice(price).tiers.map((tier) => ({
      above: tier.above,
      input: Number(tier.input),
      output: Number(tier.output),
    })),
  };
}

/** Returns the names of all models that have a price or are offered by a channel, including patterns. */
export async function modelNames(db: Db): Promise<string[]> {
  const [prices, offered] = await Promise.all([
    db.price.findMany({ select: { model: true } }),
    db.channelModel.findMany({
      where: { channel: { deleted_at: null } },
      distinct: ["model"],
      select: { model: true },
    }),
  ]);
  const names = new Set([...prices, ...offered].map((row) => row.model));
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}

/** Returns the same names with their owners, sorted by owner; "" if no price defines an owner. */
export async function namesWithOwners(db: Db): Promise<{ name: string; owner: string }[]> {
  const [names, prices] = await Promise.all([
    modelNames(db),
    db.price.findMany({ include: { extras: true } }),
  ]);
  const described = await describeModels(db, tableOf(prices.map(activePrice)), names);
  return names
    .map((name) => ({ name, owner: described.get(name)?.owner ?? "" }))
    .sort((a, b) => a.owner.localeCompare(b.owner));
}
