/** The prices that the home page shows: those of the cheapest group that a visitor may use. Pure. */
import { formatCost, POINTS_PER_USD, USD_PER_1K_AT_RATIO_1 } from "@gateway/shared/billing/money";
import type { UserGroupMap } from "@gateway/shared/channels/group";
import type { AvailableModels } from "@gateway/shared/models/model";

/** Ratios of a model per token; 1 = one point. */
export type TokenRatios = { input: number; output: number };

/** Returns the ratios of a model with a price per token in its cheapest group; undefined for other models. */
export function ratiosOf(
  model: AvailableModels[string] | undefined,
  groups: UserGroupMap,
): TokenRatios | undefined {
  if (model?.price?.type !== "tokens") return undefined;
  const factors = model.groups.map((group) => groups[group]?.ratio).filter((ratio) => ratio !== undefined);
  const factor = factors.length === 0 ? 1 : Math.min(...factors);
  return { input: model.price.input * factor, output: model.price.output * factor };
}

/** Dollars per million tokens: "$1.25". */
export const perMillion = (ratio: number): string => formatCost(ratio * USD_PER_1K_AT_RATIO_1 * 1_000);

export type Owner = {
  name: string;
  /** One of its models, which decides the logo. */
  example: string;
  count: number;
  /** The lowest input ratio above zero of a model with a price per token. */
  from: number | undefined;
};

/** Returns the owners of the models, those with the most models first. */
export function ownersOf(models: AvailableModels, groups: UserGroupMap): Owner[] {
  const owners = new Map<string, Owner>();
  for (const [name, model] of Object.entries(models)) {
    if (model.owned_by === "") continue;
    const owner = owners.get(model.owned_by) ?? {
      name: model.owned_by,
      example: name,
      count: 0,
      from: undefined,
    };
    const input = ratiosOf(model, groups)?.input;
    if (input !== undefined && input > 0) owner.from = Math.min(owner.from ?? input, input);
    owner.count += 1;
    owners.set(model.owned_by, owner);
  }
  return [...owners.values()].sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

export type SampleBill = {
  lines: { kind: "input" | "output"; tokens: number; ratio: number; usd: string }[];
  /** What is charged: whole points, rounded up. */
  total: string;
};

/** Tokens of the example. */
const sampleTokens = { input: 2_000, output: 500 };

/** Dollars with the six decimals of a point. */
const usdOf = (points: number) => `$${(points / POINTS_PER_USD).toFixed(6)}`;

/** Returns the bill of the example call. */
export function sampleBill(ratios: TokenRatios): SampleBill {
  const kinds = ["input", "output"] as const;
  const points = kinds.map((kind) => sampleTokens[kind] * ratios[kind]);
  // The sum of decimals can be a little above a whole number.
  const sum = Math.ceil(Number(points.reduce((all, each) => all + each, 0).toFixed(6)));
  return {
    lines: kinds.map((kind, place) => ({
      kind,
      tokens: sampleTokens[kind],
      ratio: ratios[kind],
      usd: usdOf(points[place] ?? 0),
    })),
    total: usdOf(sum),
  };
}
