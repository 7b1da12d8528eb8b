import type { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import type { Settings } from "@gateway/shared/site/settings";

/**
 * Identity providers, one record each: which settings they take, and how a code becomes a person. This room speaks
 * their wires; it must never know our accounts, sessions or database.
 */
export interface IdentityProvider {
  id: IdentityProviderId;
  label: string;
  /** The switch in the settings. */
  enabledBy: KeysOf<boolean>;
  /** What must be filled in before the switch may be on. */
  needs: readonly KeysOf<string>[];
  /** What else it reads. */
  reads?: readonly KeysOf<string>[];
  /** May ask the provider what it can do; the answer is kept by `clients.ts`. */
  open(settings: Settings, fetch: Fetch): Promise<IdentityClient>;
}

export type KeysOf<T> = { [K in keyof Settings]: Settings[K] extends T ? K : never }[keyof Settings];

/** Handed in, so that the room itself opens no connection of its own making. */
export type Fetch = typeof globalThis.fetch;

/** One provider with one set of credentials. */
export interface IdentityClient {
  /** Where the browser goes to sign in; absent where the console knows the address itself. */
  authorizeUrl?(visit: Visit): Promise<string>;
  /** Throws `upstream_failed` when there is no answer (worth another try) and `forbidden` when it is no. */
  identify(arrival: Arrival): Promise<ExternalIdentity>;
}

/** One attempt of one browser to sign in. */
export interface Visit {
  state: string;
  nonce: string;
  /** PKCE. */
  verifier: string;
  /** Where the provider sends the browser back to. Throws while the server address is not configured. */
  redirectUri(): string;
}

export interface Arrival extends Visit {
  code: string;
  iss?: string | undefined;
}

export interface ExternalIdentity {
  /** Names the person at the provider for ever; nothing else links accounts. */
  subject: string;
  /** The name over there, for people to recognise. */
  label: string;
  /** What a new account would like to be called; "" = no wish. */
  username: string;
  displayName: string;
  /** Only an address that the provider has verified. */
  email: string | null;
}

/** Switched on, and with everything it needs. */
export function isOffered(
  provider: Pick<IdentityProvider, "enabledBy" | "needs">,
  settings: Settings,
): boolean {
  return settings[provider.enabledBy] && provider.needs.every((key) => settings[key].trim() !== "");
}
