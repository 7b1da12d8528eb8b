/** Short-lived tokens that are made from a lasting credential. Knows nothing of who issues them. */
export interface TokenCache {
  /**
   * The token under this name, or the one that `issue` brings. Callers at the same time share one issue; a failed
   * one is forgotten.
   */
  get(name: string, issue: () => Promise<IssuedToken>): Promise<string>;
}

export interface IssuedToken {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** A token this near to its end may die on the way. */
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
