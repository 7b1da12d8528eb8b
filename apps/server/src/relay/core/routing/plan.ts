import { isModelName } from "@gateway/shared/models/model-name";
import { tokensFor } from "@gateway/shared/models/model-table";
import { defaultMaxTokens } from "#dialects/anthropic/request.ts";
import { gatewaySearch } from "#dialects/tools/search-forms.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { type Estimate, withEach } from "#domain/pricing/estimate.ts";
import {
  type ActivePrice,
  computePoints,
  findPrice,
  reservedTier,
  toolPrefix,
  withPictures,
} from "#domain/pricing/pricing.ts";
import { withSearches } from "#domain/pricing/search-rounds.ts";
import { isDisabled } from "#domain/settings/model-lists.ts";
import { type Pin, mayUseModel } from "#domain/tokens/callers.ts";
import { GatewayError, modelDisabled, modelNotFound, notFound } from "#errors.ts";
import type { Plan, PlannedCall, PricedTarget, ReceivedCall, RouteGroup } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import {
  type Reserves,
  offeredOf,
  priceOptionsOf,
  reservedUsage,
  withCacheWrites,
  withOneSearch,
} from "./price-options.ts";

/** Price of a model without a price, where the operator enabled `ChargeUnpricedModels`. High on purpose. */
const UNPRICED: Omit<ActivePrice, "model"> = {
  versionId: 0,
  type: "tokens",
  input: "30",
  output: "30",
  extras: {},
  tiers: [],
};

/** Price of requests about data that a provider keeps for one account. */
const FREE: ActivePrice = {
  model: "",
  versionId: 0,
  type: "times",
  input: "0",
  output: "0",
  extras: {},
  tiers: [],
};

/** Plans a call with one target. @param target a channel and the key of the account that has the data */
export function planFor<Received extends ReceivedCall>(
  received: Received,
  { channel, key }: Pick<PricedTarget, "channel" | "key">,
): PlannedCall<Received> {
  const only: PricedTarget = {
    channel,
    key,
    group: received.caller.group,
    backup: false,
    groupRatio: "0",
    upstreamModel: "",
    billedModel: "",
    price: FREE,
  };
  const { model, estimate } = received;
  return { received, model, plan: { routeGroups: [], prices: new Map(), worstCase: 0n, estimate, only } };
}

/** Plans a call. Throws `model_not_allowed`, `model_not_found` and what else forbids this model. */
export function planCall<Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
): PlannedCall<Received> {
  const { model } = received;
  requireModel(received);
  return { received, model, plan: makePlan(services, received, model) };
}

/** What has changed in a planned call. */
export interface PlanChanges<Received extends ReceivedCall> {
  readonly received?: Received;
  readonly model?: string;
  readonly outputLimit?: number | undefined;
}

/** Returns the call with a plan for its changed request, its cheaper model, or an output limit. Throws as `planCall` does. */
export function replanCall<Received extends ReceivedCall>(
  services: RelayServices,
  planned: PlannedCall<Received>,
  {
    received = planned.received,
    model = planned.model,
    outputLimit = planned.plan.outputLimit,
  }: PlanChanges<Received>,
): PlannedCall<Received> {
  if (model !== planned.model) requireModel({ ...received, model });
  return { ...planned, received, model, plan: makePlan(services, received, model, { outputLimit }) };
}

/**
 * Plans a call at the price that it cannot exceed, also at channels whose reservation is smaller than that.
 * Throws what `planCall` throws.
 */
export function planQuote<Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
): PlannedCall<Received> {
  const { model } = received;
  requireModel(received);
  return { received, model, plan: makePlan(services, received, model, { isWhole: true }) };
}

interface PlanOptions {
  /**
   * Output tokens for each response of a request without a limit of its own; default: the longest response of the
   * model.
   */
  readonly outputLimit?: number | undefined;
  /** Ignores that a channel reserves less than a call can cost. */
  readonly isWhole?: boolean;
}

/** Makes the plan of a call. */
function makePlan(
  services: RelayServices,
  received: ReceivedCall,
  model: string,
  { outputLimit, isWhole = false }: PlanOptions = {},
): Plan {
  if (!isModelName(model)) throw modelNotFound(model);
  const routeGroups = routeGroupsOf(services, received, model);
  // After the groups: a key learns this only of models that its groups reach.
  if (isDisabled(services.settings, model)) throw modelDisabled(model);
  const requested = outputLimit === undefined ? received.estimate : limitedTo(received.estimate, outputLimit);
  // The client's maximum is compared with what is reserved.
  const reservesAll = isWhole || received.maxPrice !== undefined;
  const prices = new Map<string, ActivePrice>();
  const named = new Set<string>();
  let worstCase = -1n;
  let estimate: Estimate | undefined;
  for (const routeGroup of routeGroups) {
    for (const { billed, reserves: usual } of priceOptionsOf(routeGroup.channels, model)) {
      named.add(billed);
      const price = prices.get(billed) ?? priceFor(services, billed, requested);
      if (price === undefined) continue;
      prices.set(billed, price);
      const reserves = reservesAll ? { ...usual, preCost: 1 } : usual;
      const own = estimateAt(services, received, requested, reserves);
      if (estimate === undefined || own.output > estimate.output) estimate = own;
      const points = mostPoints(services, received, { routeGroup, price, reserves, estimate: own });
      if (points > worstCase) worstCase = points;
    }
  }
  if (worstCase < 0n) throw priceMissing(model, named);
  const plan = {
    routeGroups,
    prices,
    worstCase: received.quote?.amount ?? worstCase,
    estimate: estimate ?? requested,
  };
  return outputLimit === undefined ? plan : { ...plan, outputLimit };
}

/** Returns the price of a billed model, with that of the gateway's searches where the call may have some. */
function priceFor(
  { settings, prices }: RelayServices,
  billed: string,
  { searches, toolCalls }: Estimate,
): ActivePrice | undefined {
  const { ChargeUnpricedModels, WebSearchPrice } = settings.current();
  const listed =
    findPrice(prices.table(), billed) ?? (ChargeUnpricedModels ? { ...UNPRICED, model: billed } : undefined);
  const maySearch = searches !== undefined || toolCalls?.[gatewaySearch] !== undefined;
  if (listed === undefined || !maySearch) return listed;
  // A price of its own for the model comes first. Six decimals, as the setting has them: small numbers would be
  // written with an exponent.
  const extras = { [toolPrefix + gatewaySearch]: WebSearchPrice.toFixed(6), ...listed.extras };
  return { ...listed, extras };
}

/** Returns the estimate of the call at a channel that reserves in this way. */
function estimateAt(
  services: RelayServices,
  received: ReceivedCall,
  requested: Estimate,
  reserves: Reserves,
): Estimate {
  const open = withOpenOutput(services, received, requested, reserves);
  return reserves.output > open.output ? { ...open, output: reserves.output } : open;
}

interface PricedOption {
  readonly routeGroup: RouteGroup;
  readonly price: ActivePrice;
  readonly reserves: Reserves;
  readonly estimate: Estimate;
}

/** Returns the most points that the call can cost with this price option, of what its channels reserve. */
function mostPoints(
  services: RelayServices,
  received: ReceivedCall,
  { routeGroup, price, reserves, estimate }: PricedOption,
): bigint {
  const { needs, calls } = received;
  const { searches } = estimate;
  const reservesSearches = reserves.preCost !== 3;
  const own = reservedUsage(estimate, reserves);
  const used = reservesSearches && searches !== undefined ? withSearches(own, searches) : own;
  const written =
    reserves.marks && mayMark(services, received, routeGroup.group) ? withCacheWrites(used) : used;
  const searched = reservesSearches && reserves.searches ? withOneSearch(written) : written;
  const most = { ...searched, tier: reservedTier(price, estimate.tier) };
  const usage = needs === "chat" || needs === "responses" ? withPictures(price, most) : most;
  return computePoints(price, routeGroup.ratio, usage, calls);
}

/** Whether the gateway may add marks for prompt caches to a call that this group serves. */
export function mayMark(
  { groups }: Pick<RelayServices, "groups">,
  { helpsPromptCache, session }: Pick<ReceivedCall, "helpsPromptCache" | "session">,
  group: string,
): boolean {
  if (helpsPromptCache !== true || groups.get(group)?.cacheMarks !== true) return false;
  return session?.() !== undefined;
}

/** Returns the estimate of a request to which this limit is added. */
function limitedTo(estimate: Estimate, limit: number): Estimate {
  const { isOpen: _isOpen, open: _open, ...limited } = withEach(estimate, limit);
  return limited;
}

/**
 * Returns the estimate with the longest response of a model whose request has no limit: nothing may be produced
 * that is not reserved.
 */
function withOpenOutput(
  { settings }: RelayServices,
  { canLimitOutput }: ReceivedCall,
  estimate: Estimate,
  { demands, output, longest }: Reserves,
): Estimate {
  const { open } = estimate;
  if (open === undefined) return estimate;
  if (demands !== "") {
    // This wire requires a limit, which is added to the request. A thinking budget is added to the limit.
    const { DefaultMaxOutputTokens, ClaudeDefaultMaxTokens } = settings.current();
    const added = tokensFor(ClaudeDefaultMaxTokens, demands) ?? defaultMaxTokens;
    return withEach(estimate, open.usual - DefaultMaxOutputTokens + added);
  }
  // A request that cannot have a limit is reserved for a usual response.
  if (canLimitOutput !== true) return estimate;
  return withEach(estimate, Math.max(open.usual, output > 0 ? output : longest));
}

/** Returns an error that names the requested model, and the billed models without a price. */
function priceMissing(model: string, billed: ReadonlySet<string>): GatewayError {
  const targets = [...billed].filter((name) => name !== model);
  const details = { param: "model" };
  if (targets.length === 0)
    return new GatewayError("price_missing", { reason: "price_of_model_missing", model }, details);
  const names = targets.map((name) => `"${name}"`).join(", ");
  const reason = targets.length === 1 ? "price_of_target_missing" : "prices_of_targets_missing";
  return new GatewayError("price_missing", { reason, model, targets: names }, details);
}

function routeGroupsOf(
  services: RelayServices,
  { caller, pin, needs, endpoint }: ReceivedCall,
  model: string,
): RouteGroup[] {
  const routeGroups: RouteGroup[] = [];
  const symbols = caller.backupGroup === "" ? [caller.group] : [caller.group, caller.backupGroup];
  let refused: string | undefined;
  for (const symbol of symbols) {
    const group = services.groups.get(symbol);
    // Checked at every use: the group may have been disabled since the token was created.
    if (group === undefined || !group.enable || (!group.public && symbol !== caller.userGroup)) {
      refused ??= symbol;
      continue;
    }
    const found = pinnedChannels(services, pin) ?? services.candidates.find(symbol, model);
    const home = pin?.home?.channel;
    const listed = home === undefined ? found : found.filter((channel) => channel.id === home);
    const channels = offeredOf(listed, needs, endpoint, model);
    if (channels.length > 0)
      routeGroups.push({ group: symbol, backup: symbol !== caller.group, ratio: group.ratio, channels });
    if (pin?.only !== undefined) break;
  }
  if (routeGroups.length > 0) return routeGroups;
  if (refused === caller.group)
    throw new GatewayError("group_not_allowed", { reason: "group_not_for_key", group: refused });
  throw modelNotFound(model);
}

function pinnedChannels(services: RelayServices, pin: Pin | undefined): readonly ActiveChannel[] | undefined {
  return pin?.only === undefined ? undefined : [namedChannel(services, pin.only)];
}

/** Returns the channel that a caller pinned by id. Throws `not_found`. */
export function namedChannel({ candidates }: Pick<RelayServices, "candidates">, id: number): ActiveChannel {
  const channel = candidates.byId(id);
  if (channel === undefined) throw notFound({ reason: "pinned_channel_not_found", channel: id });
  return channel;
}

/** Throws `model_not_allowed`. */
export function requireModel({ caller, model }: Pick<ReceivedCall, "caller" | "model">): void {
  if (mayUseModel(caller, model)) return;
  throw new GatewayError(
    "model_not_allowed",
    { reason: "model_not_for_key", model },
    {
      param: "model",
    },
  );
}
