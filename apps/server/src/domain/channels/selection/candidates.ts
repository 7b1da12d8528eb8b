import { setImmediate as nextTurn } from "node:timers/promises";
import type { ActiveChannel } from "./active-channel.ts";
import { type LoadDeps, loadChannels } from "./load-channels.ts";

/**
 * The enabled channels in memory, indexed by group and model. An announced change reloads only that channel.
 * Calls in progress keep the lists they started with.
 */
export interface Candidates extends Pick<ChannelIndex, "find" | "models" | "byId" | "lists"> {
  /** Reads all channels again and swaps the index at once. */
  reload(): Promise<void>;
  /**
   * Loads a change of one channel, or of any channel when `id` is 0. Resolves when the change is active;
   * rejects when the channel could not be read.
   */
  changed(id: number): Promise<void>;
}

/** Above this number of changed channels, reading all of them is cheaper. */
const MANY = 500;

export async function createCandidates(read: LoadDeps): Promise<Candidates> {
  let index = await buildIndex(await loadChannels(read, { status: 1 }));
  let waiting = new Set<number>();
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function reload(): Promise<void> {
    index = await buildIndex(await loadChannels(read, { status: 1 }));
  }

  async function takeIn(): Promise<void> {
    const ids = waiting;
    waiting = new Set();
    try {
      if (ids.has(0) || ids.size > MANY) return await reload();
      const channels = await loadChannels(read, { status: 1, ids: [...ids] });
      for (const channel of channels) {
        ids.delete(channel.id);
        index.put(channel);
      }
      for (const id of ids) index.remove(id);
    } catch (error) {
      // Keep the ids that could not be read: the next change reads them again.
      for (const id of ids) waiting.add(id);
      throw error;
    }
  }

  function run(): Promise<void> {
    running = takeIn().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    find: (group, model) => index.find(group, model),
    models: (group) => index.models(group),
    byId: (id) => index.byId(id),
    lists: (model) => index.lists(model),
    reload: () => {
      waiting.add(0);
      return follow();
    },
    changed: (id) => {
      waiting.add(id);
      return follow();
    },
  };

  /**
   * Runs one load at a time, so that an older load never finishes after a newer one. Each caller waits for a
   * load that started after its call.
   */
  function follow(): Promise<void> {
    if (running === undefined) return run();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  }
}

/**
 * Channels by group and model. Adding or removing a channel replaces the lists that contain it, so a list
 * that a caller already has never changes.
 */
export interface ChannelIndex {
  /**
   * Returns the channels for the model in this group, highest priority first. An exact model name wins over
   * wildcards, and the longest wildcard over shorter ones.
   */
  find(group: string, model: string): readonly ActiveChannel[];
  /** Returns the model names that a group can request; wildcards as configured. */
  models(group: string): string[];
  byId(id: number): ActiveChannel | undefined;
  /** Whether a channel has this model by its name, not by a wildcard. */
  lists(model: string): boolean;
  /** Adds the channel, or replaces the one with the same id. */
  put(channel: ActiveChannel): void;
  remove(id: number): void;
}

interface GroupIndex<List = readonly ActiveChannel[]> {
  exact: Map<string, List>;
  /** Prefixes without the star, longest first. */
  wildcards: { prefix: string; channels: List }[];
}

const NONE: readonly ActiveChannel[] = [];

/** Number of channels indexed before the event loop may run other work. */
const CHANNELS_AT_ONCE = 50;

/** Builds the index of many channels without blocking the event loop. */
export async function buildIndex(channels: readonly ActiveChannel[]): Promise<ChannelIndex> {
  const groups = new Map<string, GroupIndex<ActiveChannel[]>>();
  const sorted = inOrder(channels);
  for (const [place, channel] of sorted.entries()) {
    append(groups, channel);
    if (place % CHANNELS_AT_ONCE === CHANNELS_AT_ONCE - 1) await nextTurn();
  }
  return indexOf(groups, sorted);
}

function inOrder(channels: readonly ActiveChannel[]): ActiveChannel[] {
  return channels.toSorted((one, other) => (comesBefore(one, other) ? -1 : 1));
}

/** Appends in place. Only safe during the build, before any caller has the lists. */
function append(groups: Map<string, GroupIndex<ActiveChannel[]>>, channel: ActiveChannel): void {
  for (const group of new Set(channel.groups)) {
    let index = groups.get(group);
    if (index === undefined) groups.set(group, (index = { exact: new Map(), wildcards: [] }));
    for (const model of new Set(channel.models)) {
      const prefix = model.endsWith("*") ? model.slice(0, -1) : undefined;
      const list =
        prefix === undefined
          ? index.exact.get(model)
          : index.wildcards.find((entry) => entry.prefix === prefix)?.channels;
      if (list !== undefined) list.push(channel);
      else if (prefix === undefined) index.exact.set(model, [channel]);
      else {
        index.wildcards.push({ prefix, channels: [channel] });
        index.wildcards.sort((one, other) => other.prefix.length - one.prefix.length);
      }
    }
  }
}

function indexOf(groups: Map<string, GroupIndex>, channels: readonly ActiveChannel[]): ChannelIndex {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));

  function change(channel: ActiveChannel, apply: typeof insert): void {
    for (const group of new Set(channel.groups)) {
      let index = groups.get(group);
      if (index === undefined) groups.set(group, (index = { exact: new Map(), wildcards: [] }));
      for (const model of new Set(channel.models)) {
        if (model.endsWith("*")) changeWildcard(index, model.slice(0, -1), channel, apply);
        else {
          const list = apply(index.exact.get(model) ?? NONE, channel);
          if (list.length === 0) index.exact.delete(model);
          else index.exact.set(model, list);
        }
      }
      if (index.exact.size === 0 && index.wildcards.length === 0) groups.delete(group);
    }
  }

  const index: ChannelIndex = {
    find(group, model) {
      const found = groups.get(group);
      if (found === undefined) return NONE;
      return (
        found.exact.get(model) ??
        found.wildcards.find((entry) => model.startsWith(entry.prefix))?.channels ??
        NONE
      );
    },
    models(group) {
      const found = groups.get(group);
      if (found === undefined) return [];
      return [...found.exact.keys(), ...found.wildcards.map((entry) => `${entry.prefix}*`)];
    },
    byId: (id) => byId.get(id),
    lists: (model) => [...groups.values()].some(({ exact }) => exact.has(model)),
    put(channel) {
      index.remove(channel.id);
      byId.set(channel.id, channel);
      change(channel, insert);
    },
    remove(id) {
      const channel = byId.get(id);
      if (channel === undefined) return;
      byId.delete(id);
      change(channel, without);
    },
  };
  return index;
}

function changeWildcard(
  index: GroupIndex,
  prefix: string,
  channel: ActiveChannel,
  apply: typeof insert,
): void {
  const known = index.wildcards.find((entry) => entry.prefix === prefix)?.channels ?? NONE;
  const list = apply(known, channel);
  const others = index.wildcards.filter((entry) => entry.prefix !== prefix);
  index.wildcards = list.length === 0 ? others : [...others, { prefix, channels: list }];
  index.wildcards.sort((one, other) => other.prefix.length - one.prefix.length);
}

function comesBefore(one: ActiveChannel, other: ActiveChannel): boolean {
  return one.priority > other.priority || (one.priority === other.priority && one.id < other.id);
}

function insert(list: readonly ActiveChannel[], channel: ActiveChannel): readonly ActiveChannel[] {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = list[middle];
    if (there !== undefined && comesBefore(there, channel)) low = middle + 1;
    else high = middle;
  }
  return list.toSpliced(low, 0, channel);
}

function without(list: readonly ActiveChannel[], channel: ActiveChannel): readonly ActiveChannel[] {
  const place = list.indexOf(channel);
  return place === -1 ? list : list.toSpliced(place, 1);
}
