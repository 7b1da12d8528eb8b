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
import { GatewayError, noChannel } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { PlannedCall, PricedTarget, ReceivedCall, RoutedCall, RouteGroup } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** What was tried for one call. Changes with each attempt. */
export interface TriedTargets {
  readonly channels: Set<number>;
  /** Failed keys of channels that may have other keys. */
  readonly keys: Set<number>;
  /** A paused channel was chosen because no other was left. Happens once per call. */
  isLastResort: boolean;
}

export function createTriedTargets({ pin }: ReceivedCall): TriedTargets {
  const channels = new Set<number>(pin?.never === undefined ? [] : [pin.never]);
  return { channels, keys: new Set(), isLastResort: false };
}

/**
 * Returns the next target of the call and marks it as tried. The backup group follows the group itself. When
 * only paused channels are left, returns the one whose pause ends first, unless its provider asked to wait.
 */
export function nextTarget(
  services: RelayServices,
  planned: PlannedCall,
  tried: TriedTargets,
): PricedTarget | undefined {
  const { received, model, plan } = planned;
  const { stream, tools, pin } = received;
  const { health } = services;
  if (plan.only !== undefined) {
    const isTried = tried.channels.has(plan.only.channel.id);
    tried.channels.add(plan.only.channel.id);
    return isTried ? undefined : plan.only;
  }
  const account = received.caller.userId;
  const free = (channel: ActiveChannel, key: number) =>
    !tried.keys.has(key) && health.keyUsable(channel, key, model, account);
  const wanted: ChannelRequirements = {
    model,
    stream,
    tools,
    tried: tried.channels,
    usable: (channel) =>
      pin?.only !== undefined ||
      (health.usable(channel, model, account) &&
        (tried.keys.size === 0 || channel.keys.some((key) => free(channel, key.id)))),
  };
  const atHome = inSession(services, planned, wanted, free);
  if (atHome !== undefined) {
    tried.channels.add(atHome.channel.id);
    return atHome;
  }
  for (const routeGroup of plan.routeGroups) {
    let channel = pick(routeGroup.channels, wanted, services.random);
    while (channel !== undefined) {
      const found = channel;
      tried.channels.add(found.id);
      const price = plan.prices.get(mapModel(found, model).billed);
      if (price !== undefined) {
        const key = chooseKey(found, services.random(), {
          pinned: pin?.home?.key,
          free: (id) => free(found, id),
        });
        return targetOf(routeGroup, found, key, model, price);
      }
      channel = pick(routeGroup.channels, wanted, services.random);
    }
  }
  return tried.isLastResort ? undefined : soonestUnpaused(services, planned, tried, wanted);
}

/** Asks the other nodes for the target of the call's session, where there is more than one to choose from. */
export async function learnSession(services: RelayServices, planned: PlannedCall): Promise<void> {
  const session = sessionKey(planned);
  if (session !== undefined) await services.affinity.learn(session);
}

/** Binds the session's next call to the target of this one. */
export function keepSession(services: RelayServices, { planned, target }: RoutedCall): void {
  const { channel, key, backup } = target;
  const session = backup || !channel.sessionAffinity ? undefined : sessionKey(planned);
  if (session !== undefined) services.affinity.keep(session, { channel: channel.id, key: key?.id });
}

/** Returns the key of the session, where there is more than one target to choose from. */
function sessionKey({ received, model, plan }: PlannedCall): string | undefined {
  const { session, pin } = received;
  const [first] = plan.routeGroups;
  if (session === undefined || pin !== undefined || first === undefined) return undefined;
  const [channel] = first.channels;
  if (first.channels.length < 2 && (channel?.keys.length ?? 0) < 2) return undefined;
  const name = session();
  return name === undefined ? undefined : `${name}:${model}`;
}

/** Returns the target of the session's last call, if the channel can serve this call now. */
function inSession(
  services: RelayServices,
  planned: PlannedCall,
  wanted: ChannelRequirements,
  free: (channel: ActiveChannel, key: number) => boolean,
): PricedTarget | undefined {
  const { model, plan } = planned;
  const [routeGroup] = plan.routeGroups;
  const session = sessionKey(planned);
  const home = session === undefined ? undefined : services.affinity.find(session);
  if (home === undefined || routeGroup === undefined) return undefined;
  const channel = routeGroup.channels.find(({ id }) => id === home.channel);
  if (channel === undefined || !channel.sessionAffinity) return undefined;
  if (!couldServe(channel, wanted) || !wanted.usable(channel)) return undefined;
  const price = plan.prices.get(mapModel(channel, model).billed);
  if (price === undefined) return undefined;
  const kept = channel.keys.find(({ id }) => id === home.key && free(channel, id));
  const key = kept ?? chooseKey(channel, services.random(), { free: (id) => free(channel, id) });
  return targetOf(routeGroup, channel, key, model, price);
}

/** Returns the paused channel whose pause ends first. Skips those whose provider asked to wait. */
function soonestUnpaused(
  services: RelayServices,
  { received, model, plan }: PlannedCall,
  tried: TriedTargets,
  wanted: ChannelRequirements,
): PricedTarget | undefined {
  const { health } = services;
  let first: { routeGroup: RouteGroup; channel: ActiveChannel; pause: Pause } | undefined;
  for (const routeGroup of plan.routeGroups)
    for (const channel of routeGroup.channels) {
      if (!couldServe(channel, wanted) || health.full(channel)) continue;
      if (!plan.prices.has(mapModel(channel, model).billed)) continue;
      const pause = health.pause(channel, model, received.caller.userId);
      if (pause === undefined || pause.hardUntil > now() || tried.keys.has(pause.keyId)) continue;
      if (first === undefined || pause.until < first.pause.until) first = { routeGroup, channel, pause };
    }
  if (first === undefined) return undefined;
  const { routeGroup, channel, pause } = first;
  const price = plan.prices.get(mapModel(channel, model).billed);
  if (price === undefined) return undefined;
  tried.isLastResort = true;
  tried.channels.add(channel.id);
  const home = received.pin?.home?.key;
  const key = channel.keys.find(({ id }) => id === (home ?? pause.keyId)) ?? channel.keys[0];
  return targetOf(routeGroup, channel, key, model, price);
}

function targetOf(
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
  tried: TriedTargets,
  { planned, target }: RoutedCall,
  error: UpstreamError,
): void {
  const { channel, key } = target;
  if (planned.plan.only !== undefined || planned.received.pin?.home !== undefined) return;
  if (key === undefined || channel.keys.length < 2 || !isKeyFailure(error)) return;
  tried.keys.add(key.id);
  if (channel.keys.some((other) => !tried.keys.has(other.id))) tried.channels.delete(channel.id);
}

/** Maximum number of channels in a log row. */
const MOST_NOTED = 20;

/**
 * Returns the channels of the plan that were not tried so far, with the reason, for the log of a failed
 * attempt. Channels that were paused when the call began are logged separately.
 */
export function skippedChannels(
  services: RelayServices,
  planned: PlannedCall,
  tried: TriedTargets,
  paused: readonly PausedChannel[],
): SkippedChannel[] {
  const notes: SkippedChannel[] = [];
  for (const routeGroup of planned.plan.routeGroups) {
    const best = routeGroup.channels[0]?.priority ?? 0;
    for (const channel of routeGroup.channels) {
      if (notes.length >= MOST_NOTED) return notes;
      const { id, name, priority } = channel;
      if (tried.channels.has(id) || paused.some((note) => note.channel_id === id)) continue;
      const idle = routeGroup.backup ? "backup-group" : priority < best ? "lower-priority" : "not-chosen";
      const skipped = unfitFor(services, planned, channel) ?? idle;
      notes.push({ channel_id: id, channel_name: name, skipped, priority });
    }
  }
  return notes;
}

/** Returns why a channel cannot take the call now; undefined when it can. */
function unfitFor(
  { health }: RelayServices,
  { received, model, plan }: PlannedCall,
  channel: ActiveChannel,
): SkipReason | undefined {
  if (received.tools && channel.onlyChat) return "no-tools";
  if (received.stream && channel.disabledStream.has(model)) return "no-streaming";
  if (!plan.prices.has(mapModel(channel, model).billed)) return "no-price";
  if (health.full(channel)) return "busy";
  return health.pause(channel, model, received.caller.userId) === undefined ? undefined : "paused";
}

/** Returns the paused channels of the plan for the log: which, why and until when. */
export function pausedChannels(
  services: RelayServices,
  { received, model, plan }: PlannedCall,
): PausedChannel[] {
  const notes: PausedChannel[] = [];
  for (const { channels } of plan.routeGroups)
    for (const { channel, pause } of services.health.pausedAmong(
      channels,
      model,
      received.caller.userId,
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
export function noChannelError(
  { health }: RelayServices,
  { received, model, plan }: PlannedCall,
): GatewayError {
  const channels = plan.routeGroups.flatMap((routeGroup) => routeGroup.channels);
  if (channels.some((channel) => health.full(channel)))
    return new GatewayError("upstream_rate_limited", { reason: "channels_full", model }, { retryAfter: 1 });
  const waits = channels.flatMap((channel) => {
    const pause = health.pause(channel, model, received.caller.userId);
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
