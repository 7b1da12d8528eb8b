import type { PausedChannel } from "@gateway/shared/log";
import { tokensFor } from "@gateway/shared/model-table";
import { defaultMaxTokens } from "#dialects/anthropic/request.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import {
  type ChannelInForce,
  chooseKey,
  type KeyInForce,
  mapModel,
} from "#domain/channels/channel-in-force.ts";
import { isKeyFailure, type Pause } from "#domain/channels/health-state.ts";
import { couldServe, pick, type Wanted } from "#domain/channels/pick.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import {
  computeBill,
  findPrice,
  heldTier,
  type PriceInForce,
  withPictures,
} from "#domain/pricing/pricing.ts";
import type { Pin } from "#domain/tokens/callers.ts";
import { GatewayError, modelNotFound, noChannel } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { Call } from "./call.ts";
import type { Chosen } from "./call.ts";
import { offeredOf, reserved, priceOptionsOf } from "./price-options.ts";
import type { RelayServices } from "./services.ts";

/** A group the call may use, with the channels that list its model. */
interface Lane {
  group: string;
  backup: boolean;
  /** Decimal string. */
  ratio: string;
  channels: readonly ChannelInForce[];
}

/** Decided once, before anything is held: who may serve the call, at which prices, and the most it can cost. */
export interface Plan {
  lanes: readonly Lane[];
  prices: ReadonlyMap<string, PriceInForce>;
  /** Points to hold: the dearest way the plan allows. */
  worstCase: bigint;
  /** The call's, with what operators allow beyond the client's limits. */
  estimate: Estimate;
  tried: Set<number>;
  /** Keys that failed where their channel may have others. */
  triedKeys: Set<number>;
  /** A paused channel was chosen because no other was left: once for a call. */
  lastResort: boolean;
}

/** What an operator's old habit charges for a model without a price: dear on purpose. */
const UNPRICED: Omit<PriceInForce, "model"> = {
  versionId: 0,
  type: "tokens",
  input: "30",
  output: "30",
  extras: {},
  tiers: [],
};

/** Some dialects put the model into the address; a name must not lead to another place there. */
const strayName = /\.\.|[\s?#\\%\p{C}]|(?:^|\/)\.?(?:\/|$)/u;

export function makePlan(services: RelayServices, call: Call): Plan {
  const { model } = call;
  if (strayName.test(model)) throw modelNotFound(model);
  const lanes = lanesOf(services, call);
  const { ChargeUnpricedModels } = services.settings.current();
  const table = services.prices.table();
  const prices = new Map<string, PriceInForce>();
  const named = new Set<string>();
  let worstCase = -1n;
  let { estimate } = call;
  for (const lane of lanes) {
    for (const { billed, reserves } of priceOptionsOf(lane.channels, model)) {
      named.add(billed);
      const price =
        prices.get(billed) ??
        findPrice(table, billed) ??
        (ChargeUnpricedModels ? { ...UNPRICED, model: billed } : undefined);
      if (price === undefined) continue;
      prices.set(billed, price);
      const output = Math.max(reserves.output, demandedOutput(services, call, reserves.demands));
      if (output > estimate.output) estimate = { ...estimate, output };
      const most = { ...reserved(estimate, reserves), tier: heldTier(price, estimate.tier) };
      const held = call.needs === "chat" || call.needs === "responses" ? withPictures(price, most) : most;
      const { points } = computeBill(price, lane.ratio, held, call.calls);
      if (points > worstCase) worstCase = points;
    }
  }
  if (worstCase < 0n) throw priceMissing(model, named);
  const tried = new Set<number>(call.pin?.never === undefined ? [] : [call.pin.never]);
  return { lanes, prices, worstCase, estimate, tried, triedKeys: new Set(), lastResort: false };
}

/** The output that a call without a limit may have where the wire demands one; 0 where it has one, or needs none. */
function demandedOutput({ settings }: RelayServices, { estimate }: Call, model: string): number {
  if (model === "" || estimate.isOpen !== true) return 0;
  const { DefaultMaxOutputTokens, ClaudeDefaultMaxTokens } = settings.current();
  const limit = tokensFor(ClaudeDefaultMaxTokens, model) ?? defaultMaxTokens;
  // What the estimate has besides its own default, a thinking budget, comes on top here, too.
  return estimate.output - DefaultMaxOutputTokens + limit;
}

/** Names the model that was requested, and those without a price that its channels bill it as. */
function priceMissing(model: string, billed: ReadonlySet<string>): GatewayError {
  const targets = [...billed].filter((name) => name !== model);
  const list = targets.map((name) => `"${name}"`).join(", ");
  const message =
    targets.length === 0
      ? `The model "${model}" has no price yet, so it cannot be used.`
      : `The model "${model}" is mapped to ${list}, which ${targets.length === 1 ? "has" : "have"} no price yet, so it cannot be used.`;
  return new GatewayError("price_missing", message, { param: "model" });
}

function lanesOf(services: RelayServices, { caller, pin, model, needs, endpoint }: Call): Lane[] {
  const lanes: Lane[] = [];
  const symbols = caller.backupGroup === "" ? [caller.group] : [caller.group, caller.backupGroup];
  let refused: string | undefined;
  for (const symbol of symbols) {
    const group = services.groups.get(symbol);
    // Rights are checked at every use: a group may have been closed since the token was made.
    if (group === undefined || !group.enable || (!group.public && symbol !== caller.userGroup)) {
      refused ??= symbol;
      continue;
    }
    const found = pinned(services, pin) ?? services.candidates.find(symbol, model);
    const home = pin?.home?.channel;
    const listed = home === undefined ? found : found.filter((channel) => channel.id === home);
    const channels = offeredOf(listed, needs, endpoint, model);
    if (channels.length > 0)
      lanes.push({ group: symbol, backup: symbol !== caller.group, ratio: group.ratio, channels });
    if (pin?.only !== undefined) break;
  }
  if (lanes.length > 0) return lanes;
  if (refused === caller.group)
    throw new GatewayError("group_not_allowed", `This API key may not use the group "${refused}".`);
  throw modelNotFound(model);
}

function pinned(services: RelayServices, pin: Pin | undefined): readonly ChannelInForce[] | undefined {
  return pin?.only === undefined ? undefined : [namedChannel(services, pin.only)];
}

/** The channel that a caller asks for by its number. Throws `not_found`. */
export function namedChannel({ candidates }: Pick<RelayServices, "candidates">, id: number): ChannelInForce {
  const channel = candidates.byId(id);
  if (channel === undefined)
    throw new GatewayError("not_found", `Channel ${id} does not exist or is switched off.`);
  return channel;
}

/**
 * The next channel of the plan, the backup group's only after the group's own. A pause is a preference: when only paused
 * channels are left, the one whose pause ends first is chosen, unless its provider asked to wait. Marks it as tried.
 */
export function nextChoice(services: RelayServices, plan: Plan, call: Call): Chosen | undefined {
  const { model, stream, tools, pin } = call;
  const { health } = services;
  const { triedKeys, tried } = plan;
  const account = call.caller.userId;
  const free = (channel: ChannelInForce, key: number) =>
    !triedKeys.has(key) && health.keyUsable(channel, key, model, account);
  const wanted: Wanted = {
    model,
    stream,
    tools,
    tried,
    usable: (channel) =>
      pin?.only !== undefined ||
      (health.usable(channel, model, account) &&
        (triedKeys.size === 0 || channel.keys.some((key) => free(channel, key.id)))),
  };
  for (const lane of plan.lanes) {
    let channel = pick(lane.channels, wanted, services.random);
    while (channel !== undefined) {
      const found = channel;
      tried.add(found.id);
      const price = plan.prices.get(mapModel(found, model).billed);
      if (price !== undefined) {
        const key = chooseKey(found, services.random(), {
          pinned: pin?.home?.key,
          free: (id) => free(found, id),
        });
        return chosenOf(lane, found, key, model, price);
      }
      channel = pick(lane.channels, wanted, services.random);
    }
  }
  return plan.lastResort ? undefined : firstToThaw(services, plan, call, wanted);
}

/** The paused channel that is free first, of those whose provider did not ask to wait. */
function firstToThaw(services: RelayServices, plan: Plan, call: Call, wanted: Wanted): Chosen | undefined {
  const { health } = services;
  let first: { lane: Lane; channel: ChannelInForce; pause: Pause } | undefined;
  for (const lane of plan.lanes)
    for (const channel of lane.channels) {
      if (!couldServe(channel, wanted) || health.full(channel)) continue;
      if (!plan.prices.has(mapModel(channel, call.model).billed)) continue;
      const pause = health.pause(channel, call.model, call.caller.userId);
      if (pause === undefined || pause.hardUntil > now() || plan.triedKeys.has(pause.keyId)) continue;
      if (first === undefined || pause.until < first.pause.until) first = { lane, channel, pause };
    }
  if (first === undefined) return undefined;
  const { lane, channel, pause } = first;
  const price = plan.prices.get(mapModel(channel, call.model).billed);
  if (price === undefined) return undefined;
  plan.lastResort = true;
  plan.tried.add(channel.id);
  const home = call.pin?.home?.key;
  const key = channel.keys.find(({ id }) => id === (home ?? pause.keyId)) ?? channel.keys[0];
  return chosenOf(lane, channel, key, call.model, price);
}

function chosenOf(
  lane: Lane,
  channel: ChannelInForce,
  key: KeyInForce | undefined,
  model: string,
  price: PriceInForce,
): Chosen {
  const { upstream, billed } = mapModel(channel, model);
  return {
    channel,
    key,
    group: lane.group,
    backup: lane.backup,
    groupRatio: lane.ratio,
    upstreamModel: upstream,
    billedModel: billed,
    price,
  };
}

/**
 * A failure of one key says nothing of the channel's others: it may be asked again, with another one. An answer that
 * belongs to a key has no other.
 */
export function keepOtherKeys(
  plan: Plan,
  { channel, key }: Chosen,
  error: UpstreamError,
  pin: Pin | undefined,
): void {
  if (key === undefined || channel.keys.length < 2 || pin?.home !== undefined || !isKeyFailure(error)) return;
  plan.triedKeys.add(key.id);
  if (channel.keys.some((other) => !plan.triedKeys.has(other.id))) plan.tried.delete(channel.id);
}

/** More paused channels than this say nothing more in a log row. */
const MOST_NOTED = 20;

/** The paused channels of the plan as the log names them: which, why and until when. */
export function pausedChannels(services: RelayServices, plan: Plan, call: Call): PausedChannel[] {
  const notes: PausedChannel[] = [];
  for (const { channels } of plan.lanes)
    for (const { channel, pause } of services.health.pausedAmong(
      channels,
      call.model,
      call.caller.userId,
      MOST_NOTED - notes.length,
    ))
      notes.push({
        channel_id: channel.id,
        channel_name: channel.name,
        reason: pause.reason,
        paused_until: Math.ceil(pause.until / 1_000),
        provider_asked: pause.hardUntil > 0,
        own_calls_only: pause.ownOnly,
      });
  return notes;
}

/** Why nothing could be chosen at all: says when to come back if providers asked to wait. */
export function nothingFree(services: RelayServices, plan: Plan, call: Call): GatewayError {
  const { health } = services;
  const { model } = call;
  const channels = plan.lanes.flatMap((lane) => lane.channels);
  if (channels.some((channel) => health.full(channel)))
    return new GatewayError(
      "upstream_rate_limited",
      `Every channel for the model "${model}" has as many calls under way as it may have. Try again shortly.`,
      { retryAfter: 1 },
    );
  const waits = channels.flatMap((channel) => {
    const pause = health.pause(channel, model, call.caller.userId);
    return pause === undefined || pause.hardUntil === 0 ? [] : pause.hardUntil - now();
  });
  if (waits.length === 0) return noChannel(model);
  const retryAfter = Math.max(1, Math.ceil(Math.min(...waits) / 1_000));
  return new GatewayError(
    "upstream_rate_limited",
    `Every channel for the model "${model}" is paused because its provider asked to wait. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}
