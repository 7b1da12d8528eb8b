import { createHash } from "node:crypto";

/**
 * A prompt cache as providers have it: a request that begins as an earlier one of the same account and model
 * reads that beginning from the cache. Deterministic: nothing expires by time.
 */
export interface PromptCache {
  /**
   * Returns the tokens of the prompt that were read from the cache and those that are new in it.
   * @param account whose cache
   * @param parts the prompt in parts; a beginning consists of whole parts
   */
  take(account: string, parts: readonly string[]): { read: number; written: number };
}

/** A shorter beginning is not cached. */
const SHORTEST_TOKENS = 1_024;
const BYTES_PER_TOKEN = 4;
const MOST_BEGINNINGS = 50_000;

export function createPromptCache(): PromptCache {
  /** Hashes of beginnings, oldest first. */
  const known = new Set<string>();
  return {
    take(account, parts) {
      let [hash, bytes, readBytes] = [account, 0, 0];
      for (const part of parts) {
        hash = createHash("sha256").update(`${hash}\0${part}`).digest("base64url");
        bytes += Buffer.byteLength(part);
        if (known.has(hash)) readBytes = bytes;
        else known.add(hash);
      }
      while (known.size > MOST_BEGINNINGS) {
        const [oldest] = known;
        if (oldest !== undefined) known.delete(oldest);
      }
      const read = tokensOf(readBytes);
      return { read, written: Math.max(0, tokensOf(bytes) - read) };
    },
  };
}

function tokensOf(bytes: number): number {
  const tokens = Math.floor(bytes / BYTES_PER_TOKEN);
  return tokens < SHORTEST_TOKENS ? 0 : tokens;
}
