import type { UpstreamError } from "#dialects/ir.ts";

/**
 * The pauses of one channel after failures, by model, key and account. A failure pauses the channel for the account
 * whose call failed; for every account only once calls of several accounts failed that other channels could serve.
 * Pure: the time is passed in.
 */
export interface Freeze {
  /** `*` = every model. */
  model: string;
  /** 0 = the whole channel, not one of its keys. */
  keyId: number;
  /** 0 = every account. */
  account: number;
  /** Milliseconds since 1970. */
  until: number;
  /** Milliseconds since 1970 until which the provider itself asked for a pause; 0 = it did not. */
  hardUntil: number;
  reason: UpstreamError["kind"];
  /** Another channel served the call that failed here, so the failure is not the request's own. */
  counts: boolean;
}

/** A credential that was refused is refused for every model. */
export const EVERY_MODEL = "*";
/** In the place of a key: the whole channel. */
export const WHOLE = 0;
/** In the place of an account: all of them. */
const EVERYONE = 0;
/** Accounts whose calls must fail at once before a pause is for every account. */
const SEVERAL_ACCOUNTS = 3;
/** More pauses than this at one channel say nothing more. */
const MOST_FREEZES = 1_000;

export interface Freezes {
  add(freeze: Omit<Freeze, "counts">, at: number): void;
  /** The call was served elsewhere: its failure here counts for other accounts too. */
  confirm(model: string, keyId: number, account: number, at: number): void;
  /** The longest pause for a model, of a key or the whole channel; undefined when there is none now. */
  find(model: string, keyId: number, account: number, at: number): Freeze | undefined;
  /** Ends the pauses that this account met for a model. */
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
      // What a provider asked of one account is not held against another: only its own request can know.
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
