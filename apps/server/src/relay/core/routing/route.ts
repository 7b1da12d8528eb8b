import type { PausedChannel, SkippedChannel, SkipReason } from "@gateway/shared/usage/log";
import type { UpstreamError } from "#dialects/ir.ts";
import { isKeyFailure, type Pause } from "#domain/channels/health/health-state.ts";
import {
  type ActiveChannel,
  chooseKey,
  type ActiveKey,
  mapModel,
} from "#domain/channels/selection/active-channel.ts";
import { couldServe, pick, type ChannelRequirements } from "#domain/channels/selection/pick.ts";
import type { ActivePrice } from "#domain/pricing/pricing.ts";
import type { Pin } from "#domain/tokens/callers.ts";
import { GatewayError, noChannel } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { ReceivedCall, PricedTarget } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { RouteGroup, Plan } from "./plan.ts";

/**
 * Returns the next channel of the plan and marks it as tried. The backup group follows the group itself. When
 * only paused channels are left, returns the one whose pause ends first, unless its provider asked to wait.
 */
export function nextChoice(
  services: RelayServices,
  plan: Plan,
  call: ReceivedCall,
): PricedTarget | undefined {
  const { model, stream, tools, pin } = call;
  const { health } = services;
  const { triedKeys, tried, only } = plan;
  if (only !== undefined) {
    const isTried = tried.has(only.channel.id);
    tried.add(only.channel.id);
    return isTried ? undefined : only;
  }
  const account = call.caller.userId;
  const free = (channel: ActiveChannel, key: number) =>
    !triedKeys.has(key) && health.keyUsable(channel, key, model, account);
  const wanted: ChannelRequirements = {
    model,
    stream,
    tools,
    tried,
    usable: (channel) =>
      pin?.only !== undefined ||
      (health.usable(channel, model, account) &&
        (triedKeys.size === 0 || channel.keys.some((key) => free(channel, key.id)))),
  };
  const atHome = inSession(services, plan, call, wanted, free);
  if (atHome !== undefined) return atHome;
  for (const routeGroup of plan.routeGroups) {
    let channel = pick(routeGroup.channels, wanted, services.random);
    while (channel !== undefined) {
      const found = channel;
      tried.add(found.id);
      const price = plan.prices.get(mapModel(found, model).billed);
      if (price !== undefined) {
        const key = chooseKey(found, services.random(), {
          pinned: pin?.home?.key,
          free: (id) => free(found, id),
        });
        return chosenOf(routeGroup, found, key, model, price);
      }
      channel = pick(routeGroup.channels, wanted, services.random);
    }
  }
  return plan.lastResort ? undefined : soonestUnpaused(services, plan, call, wanted);
}

/** Returns the key of the session, where there is more than one target to choose from. */
export function sessionKey(plan: Plan, { session, model, pin }: ReceivedCall): string | undefined {
  const [first] = plan.routeGroups;
  if (session === undefined || pin !== undefined || first === undefined) return undefined;
  const [channel] = first.channels;
  if (first.channels.length < 2 && (channel?.keys.length ?? 0) < 2) return undefined;
  const name = session();
  return name === undefined ? undefined : `${name}:${model}`;
}

/**
 * Returns the target of the session's last call, if the channel can serve this call now. Marks it as tried.
 */
function inSession(
  services: RelayServices,
  plan: Plan,
  call: ReceivedCall,
  wanted: ChannelRequirements,
  free: (channel: ActiveChannel, key: number) => boolean,
): PricedTarget | undefined {
  const [routeGroup] = plan.routeGroups;
  const session = sessionKey(plan, call);
  const home = session === undefined ? undefined : services.affinity.find(session);
  if (home === undefined || routeGroup === undefined) return undefined;
  const channel = routeGroup.channels.find(({ id }) => id === home.channel);
  if (channel === undefined || !channel.sessionAffinity) return undefined;
  if (!couldServe(channel, wanted) || !wanted.usable(channel)) return undefined;
  const price = plan.prices.get(mapModel(channel, call.model).billed);
  if (price === undefined) return undefined;
  plan.tried.add(channel.id);
  const kept = channel.keys.find(({ id }) => id === home.key && free(channel, id));
  const key = kept ?? chooseKey(channel, services.random(), { free: (id) => free(channel, id) });
  return chosenOf(routeGroup, channel, key, call.model, price);
}

/** Returns the paused channel whose pause ends first. Skips those whose provider asked to wait. */
function soonestUnpaused(
  services: RelayServices,
  plan: Plan,
  call: ReceivedCall,
  wanted: ChannelRequirements,
): PricedTarget | undefined {
  const { health } = services;
  let first: { routeGroup: RouteGroup; channel: ActiveChannel; pause: Pause } | undefined;
  for (const routeGroup of plan.routeGroups)
    for (const channel of routeGroup.channels) {
      if (!couldServe(channel, wanted) || health.full(channel)) continue;
      if (!plan.prices.has(mapModel(channel, call.model).billed)) continue;
      const pause = health.pause(channel, call.model, call.caller.userId);
      if (pause === undefined || pause.hardUntil > now() || plan.triedKeys.has(pause.keyId)) continue;
      if (first === undefined || pause.until < first.pause.until) first = { routeGroup, channel, pause };
    }
  if (first === undefined) return undefined;
  const { routeGroup: group, channel, pause } = first;
  const price = plan.prices.get(mapModel(channel, call.model).billed);
  if (price === undefined) return undefined;
  plan.lastResort = true;
  plan.tried.add(channel.id);
  const home = call.pin?.home?.key;
  const key = channel.keys.find(({ id }) => id === (home ?? pause.keyId)) ?? channel.keys[0];
  return chosenOf(group, channel, key, call.model, price);
}

function chosenOf(
  routeGroup: RouteGroup,
  channel: ActiveChannel,
  key: ActiveKey | undefined,
  model: string,
  price: ActivePrice,
): PricedTarget {
  const { upstream, billed } = mapModel(channel, model);
  return {
    channel,
    key,
    group: routeGroup.group,
    backup: routeGroup.backup,
    groupRatio: routeGroup.ratio,
    upstreamModel: upstream,
    billedModel: billed,
    price,
  };
}

/**
 * Makes a channel available again after the failure of one of its keys, so that another key is tried. A
 * response bound to a key has no other.
 */
export function keepOtherKeys(
  plan: Plan,
  { channel, key }: PricedTarget,
  error: UpstreamError,
  pin: Pin | undefined,
): void {
  if (plan.only !== undefined || pin?.home !== undefined) return;
  if (key === undefined || channel.keys.length < 2 || !isKeyFailure(error)) return;
  plan.triedKeys.add(key.id);
  if (channel.keys.some((other) => !plan.triedKeys.has(other.id))) plan.tried.delete(channel.id);
}

/** Maximum number of channels in a log row. */
const MOST_NOTED = 20;

/**
 * Returns the channels of the plan that were not tried so far, with the reason, for the log of a failed
 * attempt. Channels that were paused when the call began are logged separately.
 */
export function skippedChannels(
  services: RelayServices,
  plan: Plan,
  call: ReceivedCall,
  paused: readonly PausedChannel[],
): SkippedChannel[] {
  const notes: SkippedChannel[] = [];
  for (const routeGroup of plan.routeGroups) {
    const best = routeGroup.channels[0]?.priority ?? 0;
    for (const channel of routeGroup.channels) {
      if (notes.length >= MOST_NOTED) return notes;
      const { id, name, priority } = channel;
      if (plan.tried.has(id) || paused.some((note) => note.channel_id === id)) continue;
      const idle = routeGroup.backup ? "backup-group" : priority < best ? "lower-priority" : "not-chosen";
      const skipped = unfitFor(services, plan, call, channel) ?? idle;
      notes.push({ channel_id: id, channel_name: name, skipped, priority });
    }
  }
  return notes;
}

/** Returns why a channel cannot take the call now; undefined when it can. */
function unfitFor(
  { health }: RelayServices,
  { prices }: Plan,
  { model, stream, tools, caller }: ReceivedCall,
  channel: ActiveChannel,
): SkipReason | undefined {
  if (tools && channel.onlyChat) return "no-tools";
  if (stream && channel.disabledStream.has(model)) return "no-streaming";
  if (!prices.has(mapModel(channel, model).billed)) return "no-price";
  if (health.full(channel)) return "busy";
  return health.pause(channel, model, caller.userId) === undefined ? undefined : "paused";
}

/** Returns the paused channels of the plan for the log: which, why and until when. */
export function pausedChannels(services: RelayServices, plan: Plan, call: ReceivedCall): PausedChannel[] {
  const notes: PausedChannel[] = [];
  for (const { channels } of plan.routeGroups)
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

/**
 * Returns the error when no channel could be chosen. It contains the time to wait if providers asked for it.
 */
export function nothingFree(services: RelayServices, plan: Plan, call: ReceivedCall): GatewayError {
  const { health } = services;
  const { model } = call;
  const channels = plan.routeGroups.flatMap((routeGroup) => routeGroup.channels);
  if (channels.some((channel) => health.full(channel)))
    return new GatewayError("upstream_rate_limited", { reason: "channels_full", model }, { retryAfter: 1 });
  const waits = channels.flatMap((channel) => {
    const pause = health.pause(channel, model, call.caller.userId);
    return pause === undefined || pause.hardUntil === 0 ? [] : pause.hardUntil - now();
  });
  if (waits.length === 0) return noChannel(model);
  const retryAfter = Math.max(1, Math.ceil(Math.min(...waits) / 1_000));
  return new GatewayError(
    "upstream_rate_limited",
    { reason: "channels_paused", model, seconds: retryAfter },
    { retryAfter },
  );
}
