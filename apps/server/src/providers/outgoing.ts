import { trimEndOf } from "@gateway/shared/trim-end";
import { CredentialError, type Io, type Outgoing, type Provider, type RequestShape } from "./provider.ts";

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

const versionAtEnd = /\/v\d+(?:beta)?$/;
const versionAtStart = /^\/v\d+(?:beta)?(?=\/)/;
/** Cloudflare's AI gateway serves OpenAI's paths without the version. */
const unversioned = /^https:\/\/gateway\.ai\.cloudflare\.com\/.*\/(?:openai|compat)$/;

/**
 * Joins base URL and path. Segments that end the base and start the path appear once. A version at the end of the
 * base replaces the path's own. A path that is an absolute URL is returned unchanged.
 */
export function joinUrl(baseUrl: string, path: string): string {
  let known = joined.get(baseUrl);
  if (known === undefined) {
    if (joined.size >= MOST_BASES) joined.clear();
    joined.set(baseUrl, (known = new Map()));
  }
  let url = known.get(path);
  if (url === undefined) {
    url = join(baseUrl, path);
    if (known.size >= MOST_PATHS) known.clear();
    known.set(path, url);
  }
  return url;
}

/** Cache: a channel is called at the same few addresses again and again. */
const joined = new Map<string, Map<string, string>>();
const MOST_BASES = 1_000;
const MOST_PATHS = 200;

function join(baseUrl: string, path: string): string {
  if (path.startsWith("https://")) return path;
  const base = trimEndOf(baseUrl, "/");
  if (unversioned.test(base)) return base + path.replace(versionAtStart, "");
  const end = path.search(/[?]|$/);
  const wanted = path.slice(0, end).split("/").slice(1);
  const given = base
    .replace(/^[a-z]+:\/\/[^/]*/i, "")
    .split("/")
    .slice(1);
  for (let count = Math.min(wanted.length - 1, given.length); count > 0; count -= 1) {
    const shared = wanted.slice(0, count).join("/");
    if (given.slice(-count).join("/") === shared) return base + path.slice(shared.length + 1);
  }
  return versionAtEnd.test(base) ? base + path.replace(versionAtStart, "") : base + path;
}

/** Fills the `{name}`s of a URL. Throws CredentialError when a value is missing. */
export function fillPlaces(template: string, places: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = places[name];
    if (value === undefined || value === "")
      throw new CredentialError(`The address has the place {${name}}, but the channel says nothing for it.`);
    return encodeURIComponent(value);
  });
}

/** Adds Microsoft's `api-version` parameter, unless the caller set it. */
export function inVersion(path: string, version: string): string {
  if (/[?&]api-version=/.test(path)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}api-version=${encodeURIComponent(version)}`;
}
