/** Cache of opened providers. Each is kept as long as the settings it was opened with are current. */
import type { Settings } from "@gateway/shared/site/settings";
import type { Fetch, IdentityClient, IdentityProvider } from "./provider.ts";

/** A provider may move its endpoints, so its metadata is fetched again after this time. */
const KEPT_MS = 3_600_000;

export interface IdentityClients {
  /** Returns an open client. Throws what opening throws; the next call tries again. */
  of(provider: IdentityProvider, settings: Settings): Promise<IdentityClient>;
}

interface CachedClient {
  fingerprint: string;
  until: number;
  client: Promise<IdentityClient>;
}

export function createIdentityClients(fetch: Fetch, now: () => number = Date.now): IdentityClients {
  const kept = new Map<string, CachedClient>();
  return {
    async of(provider, settings) {
      const fingerprint = fingerprintOf(provider, settings);
      const known = kept.get(provider.id);
      if (known?.fingerprint === fingerprint && known.until > now()) return known.client;
      const client = provider.open(settings, fetch);
      const entry = { fingerprint, until: now() + KEPT_MS, client };
      kept.set(provider.id, entry);
      try {
        return await client;
      } catch (error) {
        if (kept.get(provider.id) === entry) kept.delete(provider.id);
        throw error;
      }
    },
  };
}

function fingerprintOf(provider: IdentityProvider, settings: Settings): string {
  return JSON.stringify([...provider.needs, ...(provider.reads ?? [])].map((key) => settings[key]));
}
