/** Cache of opened providers. Each is kept as long as the settings it was opened with are current. */
import type { Settings } from "@gateway/shared/site/settings";
import { type OidcConfig, openOidc } from "./oidc-client.ts";
import type { Fetch, IdentityClient, IdentityProvider } from "./provider.ts";

/** A provider may move its endpoints, so its metadata is fetched again after this time. */
const KEPT_MS = 3_600_000;

export interface IdentityClients {
  /** Returns an open client. Throws what opening throws; the next call tries again. */
  of(provider: IdentityProvider, settings: Settings): Promise<IdentityClient>;
  /** The same for a provider that is not in the settings. @param key its name among all providers */
  ofOidc(key: string, config: OidcConfig): Promise<IdentityClient>;
}

interface CachedClient {
  fingerprint: string;
  until: number;
  client: Promise<IdentityClient>;
}

export function createIdentityClients(fetch: Fetch, now: () => number = Date.now): IdentityClients {
  const kept = new Map<string, CachedClient>();

  async function open(
    key: string,
    fingerprint: string,
    begin: () => Promise<IdentityClient>,
  ): Promise<IdentityClient> {
    const known = kept.get(key);
    if (known?.fingerprint === fingerprint && known.until > now()) return known.client;
    const client = begin();
    const entry = { fingerprint, until: now() + KEPT_MS, client };
    kept.set(key, entry);
    try {
      return await client;
    } catch (error) {
      if (kept.get(key) === entry) kept.delete(key);
      throw error;
    }
  }

  return {
    of: (provider, settings) =>
      open(provider.id, fingerprintOf(provider, settings), () => provider.open(settings, fetch)),
    ofOidc: (key, config) => open(key, JSON.stringify(config), () => openOidc(config, fetch)),
  };
}

function fingerprintOf(provider: IdentityProvider, settings: Settings): string {
  return JSON.stringify([...provider.needs, ...(provider.reads ?? [])].map((key) => settings[key]));
}
