import type { ChannelInForce } from "./channel-in-force.ts";

/** What a call needs of a channel, and what rules one out. */
export interface Wanted {
  model: string;
  stream: boolean;
  tools: boolean;
  /** Channels this call has already tried. */
  tried: ReadonlySet<number>;
  frozen(channelId: number, model: string): boolean;
}

/**
 * Chooses a channel: the highest priority that has a usable one, and within it at random by weight.
 * @param candidates sorted by priority, highest first
 * @param random a number in [0, 1)
 */
export function pick(
  candidates: readonly ChannelInForce[],
  wanted: Wanted,
  random: number,
): ChannelInForce | undefined {
  let tier: ChannelInForce[] = [];
  let total = 0;
  for (const channel of candidates) {
    const best = tier[0];
    if (best !== undefined && channel.priority < best.priority) break;
    if (!usable(channel, wanted)) continue;
    tier.push(channel);
    total += channel.weight;
  }
  let rest = random * total;
  for (const channel of tier) {
    rest -= channel.weight;
    if (rest < 0) return channel;
  }
  return tier.at(-1);
}

function usable(channel: ChannelInForce, wanted: Wanted): boolean {
  if (wanted.tried.has(channel.id)) return false;
  if (wanted.tools && channel.onlyChat) return false;
  if (wanted.stream && channel.disabledStream.has(wanted.model)) return false;
  return !wanted.frozen(channel.id, wanted.model);
}
