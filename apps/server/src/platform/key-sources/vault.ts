import { readFile } from "node:fs/promises";
import { request } from "undici";
import { z } from "zod";
import type { VaultSettings } from "./key-settings.ts";
import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";

/**
 * Reads secrets of HashiCorp Vault over its HTTP API, https://developer.hashicorp.com/vault/api-docs, read 2026-11.
 * HashiCorp has no library for Node.
 */
export interface Vault {
  read(path: string, field: string, signal: AbortSignal): Promise<KeyValue>;
}

const SERVICE_ACCOUNT_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const MAX_ANSWER_BYTES = 256 * 1024;

const Secret = z.object({ data: z.record(z.string(), z.unknown()) });
/** Version 2 of the key-value engine puts the fields below `data`, beside `metadata`. */
const Versioned = z.object({
  data: z.record(z.string(), z.unknown()).nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
const Login = z.object({
  auth: z.object({ client_token: z.string().min(1), lease_duration: z.number().min(0) }),
});

/** @param now returns milliseconds since 1970 */
export function openVault(settings: VaultSettings, now: () => number): Vault {
  let login: { token: string; until: number } | undefined;

  async function token(signal: AbortSignal): Promise<string> {
    if (settings.token !== undefined) return settings.token;
    if (settings.tokenFile !== undefined) return tokenIn(settings.tokenFile, "VAULT_TOKEN_FILE");
    if (settings.kubernetesRole === undefined)
      throw new KeyUnavailableError("none of VAULT_TOKEN, VAULT_TOKEN_FILE and VAULT_KUBERNETES_ROLE is set");
    if (login !== undefined && now() < login.until) return login.token;
    const jwt = await tokenIn(SERVICE_ACCOUNT_TOKEN, "the token of the Kubernetes service account");
    const body = JSON.stringify({ role: settings.kubernetesRole, jwt });
    const answer = await ask(settings, `auth/${settings.kubernetesMount}/login`, { body, signal });
    const found = Login.safeParse(answer);
    if (!found.success) throw new KeyUnavailableError("Vault returned no token for VAULT_KUBERNETES_ROLE");
    const { client_token, lease_duration } = found.data.auth;
    // A token near its end may expire before Vault checks it.
    login = { token: client_token, until: now() + lease_duration * 800 };
    return client_token;
  }

  return {
    async read(path, field, signal) {
      if (!isAllowed(settings.allowedPaths, path))
        throw new KeyUnavailableError("VAULT_ALLOWED_PATHS does not contain this path");
      const answer = Secret.safeParse(await ask(settings, path, { token: await token(signal), signal }));
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

async function tokenIn(file: string, name: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    throw new KeyUnavailableError(`${name} cannot be read`);
  }
}

interface Question {
  token?: string;
  body?: string;
  signal: AbortSignal;
}

/** Redirects are not followed: they would carry the token to another host. */
async function ask(
  settings: VaultSettings,
  path: string,
  { token, body, signal }: Question,
): Promise<unknown> {
  const { statusCode, body: answer } = await request(`${settings.address}/v1/${path}`, {
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
  if (statusCode !== 200) {
    // A body that is cut off emits an error, which no one else would handle.
    answer.on("error", () => undefined).destroy();
    throw new KeyUnavailableError(refusals.get(statusCode) ?? `Vault answered with status ${statusCode}`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new KeyUnavailableError("the answer of Vault is too long");
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    throw new KeyUnavailableError("the answer of Vault is not JSON");
  }
}

const redirected =
  "Vault answered with a redirect, which is not followed. Set VAULT_ADDR to the address of the active node";
const refusals: ReadonlyMap<number, string> = new Map([
  ...[301, 302, 303, 307, 308].map((status) => [status, redirected] as const),
  [403, "Vault does not allow the token to read this path (403)"],
  [404, "Vault has no secret at this path (404)"],
  [503, "Vault is sealed or in maintenance (503)"],
]);
