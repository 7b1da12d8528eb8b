/** The price of each model in a group: rows of the price list. Pure. */
import { formatPrice, USD_PER_1K_AT_RATIO_1 } from "@gateway/shared/billing/money";
import type { AvailableModels } from "@gateway/shared/models/model";
import type { ModelFacts } from "@gateway/shared/models/model-info";
import { kindOfModel, type ModelKind } from "#components/samples/sample-model.ts";

export type Offer = {
  model: string;
  owner: string;
  kind: ModelKind;
  /** Rank among the most used models; null without calls. */
  rank: number | null;
  groups: string[];
  /** "tokens", "times", or "" without a price. */
  type: string;
  input: number;
  output: number;
  extras: Record<string, number>;
  /** Prices above a number of input tokens. */
  tiers: { above: number; input: number; output: number }[];
  /** The catalogue's description. */
  info: ModelFacts | null;
  /** Dollars per million input tokens in the selected group; null without such a price. */
  inputUsd: number | null;
};

/** @param groupRatio ratio of the selected group */
export function offersOf(models: AvailableModels, groupRatio = 1): Offer[] {
  return Object.entries(models)
    .map(([model, { groups, owned_by, price, info, rank }]) => ({
      model,
      owner: owned_by,
      kind: kindOfModel(model, info?.output_modalities),
      rank,
      groups,
      type: price?.type ?? "",
      input: price?.input ?? 0,
      output: price?.output ?? 0,
      extras: price?.extra_ratios ?? {},
      tiers: price?.tiers ?? [],
      info,
      inputUsd: price?.type === "tokens" ? price.input * groupRatio * USD_PER_1K_AT_RATIO_1 * 1_000 : null,
    }))
    .sort((a, b) => a.model.localeCompare(b.model));
}

/** Context lengths of the filter, in tokens. */
export const contextLengths = [32_000, 128_000, 200_000, 1_000_000] as const;
/** Input prices of the filter, in dollars per million tokens. */
export const inputPrices = [0, 0.5, 1, 3, 10] as const;

const yes = (isTrue: boolean) => (isTrue ? ["yes"] : []);

export const hasCachePrice = ({ extras }: Pick<Offer, "extras">) =>
  extras["cached_tokens"] !== undefined || extras["cached_read_tokens"] !== undefined;

export const isReasoning = ({ extras, info }: Pick<Offer, "extras" | "info">) =>
  extras["reasoning_tokens"] !== undefined ||
  (info?.tags ?? []).some((tag) => /reasoning|thinking|推理|思考|推論/i.test(tag));

/** Facets of the filter, with one value each. An offer has every context length and price that it fulfills. */
const facets = {
  owner: (offer: Offer) => (offer.owner === "" ? [] : [offer.owner]),
  kind: (offer: Offer) => [offer.kind],
  tag: (offer: Offer) => offer.info?.tags ?? [],
  group: (offer: Offer) => offer.groups,
  input: (offer: Offer) => (offer.info?.input_modalities ?? []).filter((modality) => modality !== "text"),
  context: ({ info }: Offer) =>
    contextLengths.filter((length) => (info?.context_length ?? 0) >= length).map(String),
  price: ({ inputUsd }: Offer) =>
    inputPrices.filter((most) => inputUsd !== null && inputUsd <= most).map(String),
  cache: (offer: Offer) => yes(hasCachePrice(offer)),
  reasoning: (offer: Offer) => yes(isReasoning(offer)),
};
const facetNames = [
  "owner",
  "kind",
  "tag",
  "group",
  "input",
  "context",
  "price",
  "cache",
  "reasoning",
] as const satisfies Facet[];
export type Facet = keyof typeof facets;

export type OfferFilter = Record<Facet | "keyword", string>;

export function filterOffers(offers: readonly Offer[], filter: OfferFilter, without?: Facet): Offer[] {
  const searchText = filter.keyword.trim().toLowerCase();
  const requested = facetNames.filter((facet) => facet !== without && filter[facet] !== "");
  return offers.filter(
    (offer) =>
      [offer.model, offer.owner, offer.info?.name ?? "", offer.info?.description ?? ""].some((text) =>
        text.toLowerCase().includes(searchText),
      ) && requested.every((facet) => facets[facet](offer).includes(filter[facet])),
  );
}

export type FacetCount = { value: string; count: number };

/**
 * Returns the values of a facet and the number of offers of each, given the other filters; most offers first.
 */
export function countFacet(offers: readonly Offer[], filter: OfferFilter, facet: Facet): FacetCount[] {
  const counts = new Map<string, number>();
  for (const offer of offers) for (const value of facets[facet](offer)) counts.set(value, 0);
  for (const offer of filterOffers(offers, filter, facet))
    for (const value of facets[facet](offer)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort(
      facet === "context" || facet === "price"
        ? (a, b) => Number(a.value) - Number(b.value)
        : (a, b) => b.count - a.count || a.value.localeCompare(b.value),
    );
}

export const sortings = ["usage", "price", "context", "name"] as const;
export type Sorting = (typeof sortings)[number];

/** Sorts in place. Models without a price, calls or a known context length come last. */
export function sortOffers(offers: Offer[], by: Sorting): Offer[] {
  const cost = ({ type, input, output }: Offer) => (type === "" ? Infinity : input + output);
  const key: Record<Sorting, (offer: Offer) => number> = {
    usage: ({ rank }) => rank ?? Infinity,
    price: cost,
    context: ({ info }) => -(info?.context_length ?? 0),
    name: () => 0,
  };
  const of = key[by];
  return offers.sort((a, b) => {
    const [first, second] = [of(a), of(b)];
    return (first === second ? 0 : first - second) || a.model.localeCompare(b.model);
  });
}

export type TokenUnit = "M" | "K";

/**
 * Returns the price of one kind of token per thousand or
 * million, or of one call, including the group's ratio.
 */
export function priceOf(
  offer: Pick<Offer, "type">,
  ratio: number,
  groupRatio: number,
  options: { unit: TokenUnit; freeWord: string; cnyPerUsd: number },
): string {
  return formatPrice(ratio * groupRatio, {
    perMillion: offer.type !== "times" && options.unit === "M",
    cnyPerUsd: options.cnyPerUsd,
    freeWord: options.freeWord,
  });
}
