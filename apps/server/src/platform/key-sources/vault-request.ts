import { request } from "undici";
import type { VaultSettings } from "./key-settings.ts";
import { KeyUnavailableError } from "./key-value.ts";

const MAX_RESPONSE_BYTES = 256 * 1024;

interface VaultRequest {
  token?: string;
  /** Makes the request a POST. */
  body?: string;
  signal: AbortSignal;
}

export interface VaultResponse {
  status: number;
  /** Undefined for a body that is not JSON. */
  body: unknown;
}

/**
 * Sends a request to Vault. Throws KeyUnavailableError when there is no usable response. Redirects are not followed: they
 * would carry the token to another host.
 */
export async function requestVault(
  settings: VaultSettings,
  path: string,
  { token, body, signal }: VaultRequest,
): Promise<VaultResponse> {
  const response = await request(`${settings.address}/v1/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "x-vault-request": "true",
      ...(token === undefined ? {} : { "x-vault-token": token }),
      ...(settings.namespace === undefined ? {} : { "x-vault-namespace": settings.namespace }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body ?? null,
    signal,
  }).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw new KeyUnavailableError("Vault cannot be reached", cause);
  });
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response.body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_RESPONSE_BYTES) throw new KeyUnavailableError("the answer of Vault is too long");
    pieces.push(piece);
  }
  const parsed = parseJson(Buffer.concat(pieces).toString("utf8"));
  if (parsed === undefined && response.statusCode === 200)
    throw new KeyUnavailableError("the answer of Vault is not JSON");
  return { status: response.statusCode, body: parsed };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error to throw for a status that means the same for every request. */
export function vaultFailure(status: number): KeyUnavailableError {
  if (redirects.has(status))
    return new KeyUnavailableError(
      "Vault answered with a redirect, which is not followed. Set VAULT_ADDR to the address of the active node",
    );
  return new KeyUnavailableError(
    status === 503 ? "Vault is sealed or in maintenance (503)" : `Vault answered with status ${status}`,
  );
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
