import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";

/**
 * The responses of one connection, so that later ones can continue them although nothing is stored. Responses
 * of a chain share their parts. The oldest ones are removed when there are too many. Their bytes count in the
 * memory budget, in the share of the connection's owner.
 */
export interface HistoryEntry {
  /** JSON of the items up to and including the response, in parts without brackets. */
  parts: readonly string[];
  model: string;
  /** Target that created the response, if its items can be read only by its provider. */
  home: { channel: number; key: number | undefined } | undefined;
}

export interface History {
  find(id: string): HistoryEntry | undefined;
  /** Keeps a response. One for which there is no memory is forgotten, with those before it. */
  keep(id: string, kept: HistoryEntry): Promise<void>;
  /** Forgets all responses when the connection has closed. */
  close(): void;
}

/** Bytes of the histories of all connections. */
interface HistorySpace {
  /** Returns whether there is room. */
  take(owner: number, bytes: number): boolean;
  giveBack(owner: number, bytes: number): void;
}

const MOST_RESPONSES = 64;
/** Limit for the bytes of all parts of one connection together. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Parts of the memory budget that all histories, and those of one account, may use: they live for an hour. */
const PART_OF_ALL = 0.25;
const PART_OF_ONE = 0.125;

/** @param capacity returns the bytes of the memory budget */
export function createHistorySpace(capacity: () => number): HistorySpace {
  const usedBy = new Map<number, number>();
  let used = 0;
  return {
    take(owner, bytes) {
      const own = usedBy.get(owner) ?? 0;
      if (used + bytes > capacity() * PART_OF_ALL || own + bytes > capacity() * PART_OF_ONE) return false;
      used += bytes;
      usedBy.set(owner, own + bytes);
      return true;
    },
    giveBack(owner, bytes) {
      used -= bytes;
      const left = (usedBy.get(owner) ?? 0) - bytes;
      if (left > 0) usedBy.set(owner, left);
      else usedBy.delete(owner);
    },
  };
}

interface HistoryMemory {
  space: HistorySpace;
  /** Account of the connection. */
  owner: number;
  memory: Pick<MemoryAllocation, "add" | "giveBack">;
}

export function openHistory({ space, owner, memory }: HistoryMemory, mostBytes = MOST_BYTES): History {
  const responses = new Map<string, HistoryEntry>();
  /** Number of responses that use a part, and its bytes. */
  const uses = new Map<string, { count: number; bytes: number }>();
  let total = 0;

  function forget(id: string): void {
    const kept = responses.get(id);
    if (kept === undefined) return;
    responses.delete(id);
    for (const part of kept.parts) {
      const use = uses.get(part);
      if (use === undefined) continue;
      use.count -= 1;
      if (use.count > 0) continue;
      uses.delete(part);
      giveBack(use.bytes);
    }
  }

  function giveBack(bytes: number): void {
    total -= bytes;
    space.giveBack(owner, bytes);
    memory.giveBack(bytes);
  }

  /** Counts new bytes. Forgets the oldest responses until there is room; returns whether there is. */
  async function count(bytes: number): Promise<boolean> {
    const fits = () =>
      responses.size < MOST_RESPONSES && total + bytes <= mostBytes && space.take(owner, bytes);
    while (!fits()) {
      const [oldest] = responses.keys();
      if (oldest === undefined) return false;
      forget(oldest);
    }
    total += bytes;
    try {
      await memory.add(bytes, { timeoutMs: 0 });
      return true;
    } catch {
      total -= bytes;
      space.giveBack(owner, bytes);
      return false;
    }
  }

  return {
    find: (id) => responses.get(id),
    async keep(id, kept) {
      forget(id);
      // Registered before older responses are forgotten, so that the parts that it shares with them stay.
      const added: { part: string; bytes: number }[] = [];
      for (const part of kept.parts) {
        const use = uses.get(part);
        if (use !== undefined) use.count += 1;
        else {
          const bytes = Buffer.byteLength(part);
          uses.set(part, { count: 1, bytes });
          added.push({ part, bytes });
        }
      }
      const bytes = added.reduce((sum, each) => sum + each.bytes, 0);
      if (await count(bytes)) {
        responses.set(id, kept);
        return;
      }
      for (const { part } of added) uses.delete(part);
      const { parts } = kept;
      responses.set(id, { ...kept, parts: parts.filter((part) => uses.has(part)) });
      forget(id);
    },
    close() {
      for (const id of responses.keys()) forget(id);
    },
  };
}
