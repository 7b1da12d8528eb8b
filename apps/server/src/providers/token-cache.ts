/** Cache of short-lived tokens that are issued for a long-lived credential. Independent of the issuer. */
export interface TokenCache {
  /**
   * Returns the cached token of this name, or the one from `issue`. Concurrent callers share one `issue`
   * call; a failed one is not cached.
   */
  get(name: string, issue: () => Promise<IssuedToken>): Promise<string>;
}

export interface IssuedToken {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A token this close to its expiry may expire before the provider checks it. */
const MARGIN_MS = 60_000;
const MAX_TOKENS = 1_000;

export function createTokenCache(now: () => number): TokenCache {
  const cached = new Map<string, { issued: Promise<IssuedToken>; expiresAt: number }>();
  return {
    async get(name, issue) {
      const known = cached.get(name);
      if (known !== undefined && known.expiresAt - MARGIN_MS > now()) return (await known.issued).token;
      const entry = { issued: issue(), expiresAt: Number.POSITIVE_INFINITY };
      cached.delete(name);
      cached.set(name, entry);
      const [oldest] = cached.keys();
      if (cached.size > MAX_TOKENS && oldest !== undefined) cached.delete(oldest);
      try {
        const issued = await entry.issued;
        entry.expiresAt = issued.expiresAt;
        return issued.token;
      } catch (error) {
        if (cached.get(name) === entry) cached.delete(name);
        throw error;
      }
    },
  };
}
