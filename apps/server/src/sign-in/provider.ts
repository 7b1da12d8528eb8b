import type { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import type { Settings } from "@gateway/shared/site/settings";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Identity providers, one record each: their settings, and how a code becomes an identity. This module
 * implements their wire formats. It must never know our accounts, sessions or database.
 */
export interface IdentityProvider {
  id: IdentityProviderId;
  label: string;
  /** The setting that enables it. */
  enabledBy: KeysOf<boolean>;
  /** Settings that must be filled in before it can be enabled. */
  needs: readonly KeysOf<string>[];
  /** Other settings that it reads. */
  reads?: readonly KeysOf<string>[];
  /** Opens a client. May request the provider's metadata; `clients.ts` caches the result. */
  open(settings: Settings, fetch: Fetch): Promise<IdentityClient>;
}

export type KeysOf<T> = { [K in keyof Settings]: Settings[K] extends T ? K : never }[keyof Settings];

/** Passed in, so that this module creates no HTTP client of its own. */
export type Fetch = typeof globalThis.fetch;

/** One provider with one set of credentials. */
export interface IdentityClient {
  /** Returns the address where the browser signs in. Absent where only the console knows the address. */
  authorizeUrl?(visit: Visit): Promise<string>;
  /**
   * Checks the state and returns the identity. Throws `upstream_failed` without a response (may be retried) and
   * `forbidden` for a refusal or a wrong state.
   */
  identify(visit: Visit): Promise<ExternalIdentity>;
}

/** One request of a browser that starts a sign-in, or that the provider sent back. */
export interface Visit {
  request: FastifyRequest;
  reply: FastifyReply;
  /**
   * Returns the address to which the provider sends the browser back. Throws if the server address is not
   * configured.
   */
  redirectUri(): string;
  /** Starts: issues a state that is bound to this browser. */
  issueState(): Promise<AuthorizationState>;
  /**
   * Comes back: consumes the state, and returns the code that came with it. Throws `forbidden` unless the state
   * was issued to this browser and is used for the first time.
   */
  checkState(): Promise<Arrival>;
}

export interface AuthorizationState {
  state: string;
  nonce: string;
  /** PKCE code verifier. */
  verifier: string;
}

export interface Arrival extends AuthorizationState {
  code: string;
  iss: string | undefined;
}

export interface ExternalIdentity {
  /** Permanent id of the person at the provider. Only this links accounts. */
  subject: string;
  /** The name at the provider, for users to recognise. */
  label: string;
  /** Suggested user name of a new account; "" means none. */
  username: string;
  displayName: string;
  /** Set only if the provider has verified the address. */
  email: string | null;
  /** The person's groups at the provider, where it sends them. */
  groups?: readonly string[];
}

/** Returns whether a provider is enabled and has all the settings that it needs. */
export function isAvailable(
  provider: Pick<IdentityProvider, "enabledBy" | "needs">,
  settings: Settings,
): boolean {
  return settings[provider.enabledBy] && provider.needs.every((key) => settings[key].trim() !== "");
}
