import type { UpstreamError } from "#dialects/ir.ts";

/**
 * Pauses of one channel after failures, by model, key and account. A failure pauses the channel only for the
 * account whose call failed. The pause extends to all accounts after calls of several accounts failed that
 * other channels served. Pure: the time is passed in.
 */
export interface Freeze {
  /** `*` means every model. */
  model: string;
  /** 0 means the whole channel, not one of its keys. */
  keyId: number;
  /** 0 means every account. */
  account: number;
  /** In milliseconds since 1970. */
  until: number;
  /** End of the pause that the provider requested, in milliseconds since 1970; 0 if it requested none. */
  hardUntil: number;
  reason: UpstreamError["kind"];
  /** Whether another channel served the call that failed here, so the request itself is not at fault. */
  counts: boolean;
}

/** A refused credential is refused for every model. */
export const EVERY_MODEL = "*";
/** Key id that stands for the whole channel. */
export const WHOLE = 0;
/** Account id that stands for all accounts. */
const EVERYONE = 0;
/** Number of accounts that must fail at the same time before a pause applies to every account. */
const SEVERAL_ACCOUNTS = 3;
/** Maximum number of pauses per channel. */
const MOST_FREEZES = 1_000;

export interface Freezes {
  add(freeze: Omit<Freeze, "counts">, at: number): void;
  /** Records that another channel served the call: its failure here counts for other accounts too. */
  confirm(model: string, keyId: number, account: number, at: number): void;
  /**
   * Returns the longest current pause for a model, of a key or the whole channel; undefined if there is none.
   */
  find(model: string, keyId: number, account: number, at: number): Freeze | undefined;
  /** Ends the pauses of a model that apply to this account. */
  end(model: string, keyId: number, account: number): void;
  list(at: number): Freeze[];
  isEmpty(): boolean;
  clear(): void;
}

export function createFreezes(): Freezes {
  const all = new Map<string, Freeze>();

  const nameOf = (model: string, keyId: number, account: number) => `${keyId} ${account} ${model}`;

  function sweep(at: number): void {
    for (const [name, { until }] of all) if (until <= at) all.delete(name);
  }

  function living(name: string, at: number): Freeze | undefined {
    const freeze = all.get(name);
    if (freeze === undefined || freeze.until > at) return freeze;
    all.delete(name);
    return undefined;
  }

  return {
    add(freeze, at) {
      if (all.size >= MOST_FREEZES) sweep(at);
      const name = nameOf(freeze.model, freeze.keyId, freeze.account);
      if (all.size >= MOST_FREEZES && !all.has(name)) return;
      all.set(name, { ...freeze, counts: false });
    },
    confirm(model, keyId, account, at) {
      const own = living(nameOf(model, keyId, account), at);
      if (own === undefined) return;
      own.counts = true;
      const alike = [...all.values()].filter(
        (each) =>
          each.counts &&
          each.until > at &&
          each.account !== EVERYONE &&
          each.model === model &&
          each.keyId === keyId,
      );
      if (alike.length < SEVERAL_ACCOUNTS) return;
      // A pause that a provider requested of one account does not bind another account.
      all.set(nameOf(model, keyId, EVERYONE), { ...own, account: EVERYONE, hardUntil: 0 });
    },
    find(model, keyId, account, at) {
      if (all.size === 0) return undefined;
      let longest: Freeze | undefined;
      for (const name of [model, EVERY_MODEL])
        for (const who of [account, EVERYONE]) {
          const freeze = living(nameOf(name, keyId, who), at);
          if (freeze !== undefined && (longest === undefined || freeze.until > longest.until))
            longest = freeze;
        }
      return longest;
    },
    end(model, keyId, account) {
      if (all.size === 0) return;
      for (const name of [model, EVERY_MODEL])
        for (const key of [keyId, WHOLE])
          for (const who of [account, EVERYONE]) all.delete(nameOf(name, key, who));
    },
    list(at) {
      sweep(at);
      return [...all.values()];
    },
    isEmpty: () => all.size === 0,
    clear: () => all.clear(),
  };
}
