import { fillPlaces, joinUrl } from "./address.ts";
import type { RequestShape, Io, Outgoing, Provider } from "./provider.ts";

/** The properties of a channel that affect each of its requests. */
export interface Sender {
  provider: Provider;
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
}

/** A request before the provider's changes: the standard path, our own headers, the body. */
export interface Draft {
  method: Outgoing["method"];
  path: string;
  /** True when the path is already this provider's own. */
  ownPath?: boolean;
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/**
 * Builds the request for this provider: URL, credential, signature. The channel's headers override ours, the
 * credential overrides both. Throws CredentialError.
 */
export async function outgoing(
  { provider, baseUrl, headers }: Sender,
  key: string,
  call: RequestShape,
  draft: Draft,
  /** Called only for a provider that signs. */
  io: () => Io,
): Promise<Outgoing> {
  const base = baseUrl === "" ? provider.baseUrl : baseUrl;
  const path = draft.ownPath === true ? draft.path : (provider.path?.(call, draft.path) ?? draft.path);
  const joined = joinUrl(base, path);
  const request = {
    method: draft.method,
    url: provider.places === undefined ? joined : fillPlaces(joined, provider.places(key, call)),
    headers: { ...draft.headers, ...headers, ...provider.headers(key, call) },
    body: draft.body,
  };
  return provider.sign === undefined ? request : provider.sign(request, key, io());
}
