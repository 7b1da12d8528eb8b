import type { ActiveChannel } from "./active-channel.ts";

/** What a call requires of a channel, and what excludes one. */
export interface ChannelRequirements {
  model: string;
  stream: boolean;
  tools: boolean;
  /** Channels that this call has already tried. */
  tried: ReadonlySet<number>;
  /** Returns whether the channel is neither frozen nor full and has a free key. */
  usable(channel: ActiveChannel): boolean;
}

/** The channels of one priority. */
interface Tier {
  channels: readonly ActiveChannel[];
  /** Cumulative weights: `upTo[i]` is the total weight of the first i + 1 channels. */
  upTo: Float64Array;
}

/** Number of random draws before the whole tier is filtered. */
const THROWS = 6;

/** Cached tiers by candidate list. Lists are never modified, only replaced, so the cache stays valid. */
const known = new WeakMap<readonly ActiveChannel[], readonly Tier[]>();

/**
 * Chooses a channel of the highest priority that has a usable one, at random by weight. Draws among all
 * channels of the priority and draws again when the result is unusable. This is as fair as filtering first,
 * and its cost does not grow with thousands of channels.
 * @param candidates sorted by priority, highest first
 * @param random returns a number in [0, 1)
 */
export function pick(
  candidates: readonly ActiveChannel[],
  wanted: ChannelRequirements,
  random: () => number,
): ActiveChannel | undefined {
  for (const tier of tiersOf(candidates)) {
    const chosen = pickInTier(tier, wanted, random);
    if (chosen !== undefined) return chosen;
  }
  return undefined;
}

function pickInTier(
  { channels, upTo }: Tier,
  wanted: ChannelRequirements,
  random: () => number,
): ActiveChannel | undefined {
  const [only] = channels;
  if (channels.length === 1) return only !== undefined && fits(only, wanted) ? only : undefined;
  const all = upTo.at(-1) ?? 0;
  for (let thrown = 0; thrown < THROWS; thrown += 1) {
    const channel = channels[placeOf(upTo, random() * all)];
    if (channel !== undefined && fits(channel, wanted)) return channel;
  }
  const left = channels.filter((channel) => fits(channel, wanted));
  let rest = random() * left.reduce((sum, channel) => sum + channel.weight, 0);
  for (const channel of left) {
    rest -= channel.weight;
    if (rest < 0) return channel;
  }
  return left.at(-1);
}

/** Returns the first index whose cumulative weight is above the value. */
function placeOf(upTo: Float64Array, value: number): number {
  let low = 0;
  let high = upTo.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upTo[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function tiersOf(candidates: readonly ActiveChannel[]): readonly Tier[] {
  let tiers = known.get(candidates);
  if (tiers === undefined) known.set(candidates, (tiers = cutIntoTiers(candidates)));
  return tiers;
}

function cutIntoTiers(candidates: readonly ActiveChannel[]): Tier[] {
  const tiers: Tier[] = [];
  let from = 0;
  for (let at = 1; at <= candidates.length; at += 1) {
    if (at < candidates.length && candidates[at]?.priority === candidates[from]?.priority) continue;
    const channels = candidates.slice(from, at);
    const upTo = new Float64Array(channels.length);
    let sum = 0;
    for (const [place, channel] of channels.entries()) upTo[place] = sum += channel.weight;
    tiers.push({ channels, upTo });
    from = at;
  }
  return tiers;
}

function fits(channel: ActiveChannel, wanted: ChannelRequirements): boolean {
  return couldServe(channel, wanted) && wanted.usable(channel);
}

/**
 * Returns whether a channel offers what the call requires and was not tried yet, regardless of its health.
 */
export function couldServe(channel: ActiveChannel, wanted: Omit<ChannelRequirements, "usable">): boolean {
  if (wanted.tried.has(channel.id)) return false;
  if (wanted.tools && channel.onlyChat) return false;
  return !(wanted.stream && channel.disabledStream.has(wanted.model));
}
