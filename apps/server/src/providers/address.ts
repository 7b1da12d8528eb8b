import { CredentialError } from "./provider.ts";

/** Addresses of upstreams: how a base address and a path become one, whatever an operator copied from where. */

const versionAtEnd = /\/v\d+(?:beta)?$/;
const versionAtStart = /^\/v\d+(?:beta)?(?=\/)/;
/** Cloudflare's AI gateway serves OpenAI's paths without their version. */
const unversioned = /^https:\/\/gateway\.ai\.cloudflare\.com\/.*\/(?:openai|compat)$/;

/**
 * Base addresses are given with and without the beginning of the path: what stands in both stands once. A version at
 * the end of the base is the operator's word and replaces the path's own. A path that is a whole address stays as it is.
 */
export function joinUrl(baseUrl: string, path: string): string {
  if (path.startsWith("https://")) return path;
  const base = baseUrl.replace(/\/+$/, "");
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

/** Fills the `{name}`s of an address. Throws CredentialError when one of them is not known. */
export function fillPlaces(template: string, places: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = places[name];
    if (value === undefined || value === "")
      throw new CredentialError(`The address has the place {${name}}, but the channel says nothing for it.`);
    return encodeURIComponent(value);
  });
}

/** Microsoft's way to say which version of an API is meant; a caller that says it itself is right. */
export function inVersion(path: string, version: string): string {
  if (/[?&]api-version=/.test(path)) return path;
  return `${path}${path.includes("?") ? "&" : "?"}api-version=${encodeURIComponent(version)}`;
}
