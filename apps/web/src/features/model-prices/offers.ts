import { formatPrice } from "@gateway/shared/billing/money";
/** What each model costs in a group: rows of the price list. Pure. */
import type { AvailableModels } from "@gateway/shared/channels/model";
import type { ModelFacts } from "@gateway/shared/channels/model-info";

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
  /** What the catalogue says. */
  info: ModelFacts | null;
};

export function offersOf(models: AvailableModels): Offer[] {
  return Object.entries(models)
    .map(([model, { groups, owned_by, price, info }]) => ({
      model,
      owner: owned_by,
      groups,
      type: price?.type ?? "",
      input: price?.input ?? 0,
      output: price?.output ?? 0,
      extras: price?.extra_ratios ?? {},
      tiers: price?.tiers ?? [],
      info,
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

/** Tags of the catalogue, most models first. */
export function tagsOf(offers: readonly Offer[]): string[] {
  const counts = new Map<string, number>();
  for (const { info } of offers)
    for (const tag of info?.tags ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a.localeCompare(b));
}

/** Everything that some model reads or makes. */
export function modalitiesOf(offers: readonly Offer[]): string[] {
  const found = new Set(
    offers.flatMap(({ info }) => [...(info?.input_modalities ?? []), ...(info?.output_modalities ?? [])]),
  );
  return [...found].sort();
}

export type OfferFilter = {
  keyword: string;
  owner: string;
  tag: string;
  modality: string;
  group: string;
  reachable: boolean;
};

export function filterOffers(offers: readonly Offer[], filter: OfferFilter): Offer[] {
  const wanted = filter.keyword.trim().toLowerCase();
  return offers.filter(
    (offer) =>
      [offer.model, offer.owner, offer.info?.name ?? "", offer.info?.description ?? ""].some((text) =>
        text.toLowerCase().includes(wanted),
      ) &&
      (!filter.tag || offer.info?.tags.includes(filter.tag)) &&
      (!filter.modality ||
        offer.info?.input_modalities.includes(filter.modality) ||
        offer.info?.output_modalities.includes(filter.modality)) &&
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
