/** What each model costs in a group: rows of the price list. Pure. */
import type { AvailableModels } from "@gateway/shared/model";
import { formatPrice } from "@gateway/shared/money";

export type Offer = {
  model: string;
  owner: string;
  groups: string[];
  /** "tokens", "times", or "" when there is no price. */
  type: string;
  input: number;
  output: number;
  extras: Record<string, number>;
  /** Prices beyond so many input tokens. */
  tiers: { above: number; input: number; output: number }[];
};

export function offersOf(models: AvailableModels): Offer[] {
  return Object.entries(models)
    .map(([model, { groups, owned_by, price }]) => ({
      model,
      owner: owned_by,
      groups,
      type: price?.type ?? "",
      input: price?.input ?? 0,
      output: price?.output ?? 0,
      extras: price?.extra_ratios ?? {},
      tiers: price?.tiers ?? [],
    }))
    .sort((a, b) => a.model.localeCompare(b.model));
}

export type OwnerCount = { name: string; count: number };

/** Who makes the models, most models first. */
export function ownersOf(offers: readonly Offer[]): OwnerCount[] {
  const counts = new Map<string, number>();
  for (const { owner } of offers) if (owner !== "") counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

export type OfferFilter = { keyword: string; owner: string; group: string; reachable: boolean };

export function filterOffers(offers: readonly Offer[], filter: OfferFilter): Offer[] {
  const wanted = filter.keyword.trim().toLowerCase();
  return offers.filter(
    (offer) =>
      (offer.model.toLowerCase().includes(wanted) || offer.owner.toLowerCase().includes(wanted)) &&
      (!filter.owner || offer.owner === filter.owner) &&
      (!filter.reachable || offer.groups.includes(filter.group)),
  );
}

export type Unit = "M" | "K";

/** Price of one kind of token per thousand or million, or of one call; with the group's ratio. */
export function priceOf(
  offer: Pick<Offer, "type">,
  ratio: number,
  groupRatio: number,
  options: { unit: Unit; freeWord: string; usdOnly?: boolean },
): string {
  return formatPrice(ratio * groupRatio, {
    perMillion: offer.type !== "times" && options.unit === "M",
    usdOnly: options.usdOnly ?? false,
    freeWord: options.freeWord,
  });
}
