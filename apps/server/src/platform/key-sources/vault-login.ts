import { z } from "zod";
import type { VaultSettings } from "./key-settings.ts";
import { KeyUnavailableError } from "./key-value.ts";
import { readTokenFile } from "./token-file.ts";
import { requestVault, vaultFailure } from "./vault-request.ts";

/**
 * Signs in to Vault with the token of a Kubernetes service account,
 * https://developer.hashicorp.com/vault/api-docs/auth/kubernetes#login, read 2026-11.
 */
interface VaultLogin {
  /** Returns the token of the current login, or signs in. */
  token(): Promise<string>;
  /** Signs in again before the next request, unless that has happened already. */
  forget(token: string): void;
}

const Login = z.object({
  auth: z.object({ client_token: z.string().min(1), lease_duration: z.number().min(0) }),
});
/** The part of a JSON Web Token that says when it ends, in seconds. */
const Claims = z.object({ exp: z.number() });

const TIMEOUT_MS = 10_000;
/** A token near its end may expire before Vault checks it. */
const USED_SHARE = 0.8;
/** Of a token that does not expire. */
const ENDLESS_MS = 3_600_000;

/** @param now returns milliseconds since 1970 */
export function openVaultLogin(settings: VaultSettings, role: string, now: () => number): VaultLogin {
  let current: { token: string; until: number } | undefined;
  /** Keys that are read at the same time share one login. */
  let running: Promise<string> | undefined;

  async function signIn(): Promise<string> {
    const jwt = await readTokenFile(
      settings.kubernetesTokenFile,
      "the token of the Kubernetes service account",
    );
    const { status, body } = await requestVault(settings, `auth/${settings.kubernetesMount}/login`, {
      body: JSON.stringify({ role, jwt }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (status !== 200) throw refusal(status, jwt);
    const found = Login.safeParse(body);
    if (!found.success) throw new KeyUnavailableError("Vault returned no token for VAULT_KUBERNETES_ROLE");
    const { client_token: token, lease_duration: seconds } = found.data.auth;
    current = { token, until: now() + (seconds === 0 ? ENDLESS_MS : seconds * 1_000 * USED_SHARE) };
    return token;
  }

  function refusal(status: number, jwt: string): KeyUnavailableError {
    switch (status) {
      case 400:
        return new KeyUnavailableError(`Vault does not know VAULT_KUBERNETES_ROLE "${role}" (400)`);
      case 403:
        return new KeyUnavailableError(
          hasExpired(jwt, now())
            ? "the token of the Kubernetes service account has expired (403)"
            : `Vault does not accept this service account for VAULT_KUBERNETES_ROLE "${role}" (403)`,
        );
      case 404:
        return new KeyUnavailableError(
          `Vault has no auth method at VAULT_KUBERNETES_MOUNT "${settings.kubernetesMount}" (404)`,
        );
      default:
        return vaultFailure(status);
    }
  }

  return {
    async token() {
      if (current !== undefined && now() < current.until) return current.token;
      running ??= signIn().finally(() => {
        running = undefined;
      });
      return running;
    },
    forget(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

/** Reads the end of a token without checking its signature: Vault has refused it already. */
function hasExpired(jwt: string, at: number): boolean {
  try {
    const [, claims = ""] = jwt.split(".");
    const { exp } = Claims.parse(JSON.parse(Buffer.from(claims, "base64url").toString("utf8")));
    return exp * 1_000 <= at;
  } catch {
    return false;
  }
}
