import { z } from "zod";
import type { VaultSettings } from "./key-settings.ts";
import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";
import { readTokenFile } from "./token-file.ts";
import { openVaultLogin } from "./vault-login.ts";
import { requestVault, vaultFailure, type VaultResponse } from "./vault-request.ts";

/**
 * Reads secrets of HashiCorp Vault over its HTTP API, https://developer.hashicorp.com/vault/api-docs, read 2026-11.
 * HashiCorp has no library for Node.
 */
export interface Vault {
  read(path: string, field: string, signal: AbortSignal): Promise<KeyValue>;
}

const Secret = z.object({ data: z.record(z.string(), z.unknown()) });
/** Version 2 of the key-value engine puts the fields below `data`, beside `metadata`. */
const Versioned = z.object({
  data: z.record(z.string(), z.unknown()).nullable(),
  metadata: z.record(z.string(), z.unknown()),
});

/** @param now returns milliseconds since 1970 */
export function openVault(settings: VaultSettings, now: () => number): Vault {
  const { token, tokenFile, kubernetesRole: role } = settings;
  const login = role === undefined ? undefined : openVaultLogin(settings, role, now);

  async function request(path: string, signal: AbortSignal): Promise<VaultResponse> {
    const requestWith = (withToken: string) => requestVault(settings, path, { token: withToken, signal });
    if (token !== undefined) return requestWith(token);
    if (tokenFile !== undefined) return requestWith(await readTokenFile(tokenFile, "VAULT_TOKEN_FILE"));
    if (login === undefined)
      throw new KeyUnavailableError("none of VAULT_TOKEN, VAULT_TOKEN_FILE and VAULT_KUBERNETES_ROLE is set");
    const current = await login.token();
    const response = await requestWith(current);
    if (response.status !== 403) return response;
    // Vault may have revoked the token before its end.
    login.forget(current);
    return requestWith(await login.token());
  }

  return {
    async read(path, field, signal) {
      if (!isAllowed(settings.allowedPaths, path))
        throw new KeyUnavailableError("VAULT_ALLOWED_PATHS does not contain this path");
      const response = await request(path, signal);
      if (response.status !== 200) throw refusal(response);
      const answer = Secret.safeParse(response.body);
      if (!answer.success) throw new KeyUnavailableError("Vault returned no secret");
      const versioned = Versioned.safeParse(answer.data.data);
      const fields = versioned.success ? versioned.data.data : answer.data.data;
      const value = fields !== null && Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (typeof value !== "string") throw new KeyUnavailableError(`the secret has no text field "${field}"`);
      return { text: keyIn(value) };
    },
  };
}

/** Whether a path is one of the allowed ones or below one of them. */
function isAllowed(allowed: readonly string[], path: string): boolean {
  return allowed.some((each) => path === each || path.startsWith(`${each}/`));
}

function refusal({ status, body }: VaultResponse): KeyUnavailableError {
  if (status === 404) return new KeyUnavailableError("Vault has no secret at this path (404)");
  if (status !== 403) return vaultFailure(status);
  return new KeyUnavailableError(
    isTokenInvalid(body)
      ? "Vault does not accept the token: it has expired or was revoked (403)"
      : "Vault does not allow the token to read this path (403)",
  );
}

const Errors = z.object({ errors: z.array(z.string()) });

/** Vault answers with the same status when a valid token may not read the path. Older versions do not tell which it is. */
function isTokenInvalid(body: unknown): boolean {
  return Errors.safeParse(body).data?.errors.some((text) => text.includes("invalid token")) === true;
}
