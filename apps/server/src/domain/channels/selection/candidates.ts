import type { Db } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import { buildIndex, type ChannelIndex } from "./channel-index.ts";
import { loadChannels } from "./load-channels.ts";

/**
 * The enabled channels in memory, indexed by group and model. An announced change reloads only that channel.
 * Calls in progress keep the lists they started with.
 */
export interface Candidates extends Pick<ChannelIndex, "find" | "models" | "byId"> {
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

export async function createCandidates(db: Db, secrets: Secrets, providers: Providers): Promise<Candidates> {
  const read = { db, secrets, providers };
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
