import { Role } from "@gateway/shared/accounts/roles";
import type { ChannelInput } from "@gateway/shared/channels/channel";
import { referenceSource } from "@gateway/shared/channels/key-reference";
import type { FieldIssue } from "@gateway/shared/errors";
import { trimEndOf } from "@gateway/shared/trim-end";
import type { Actor } from "#domain/audit-log/audit.ts";
import { invalidFields } from "#errors.ts";
import type { Providers } from "#providers/registry.ts";

/**
 * Stored credentials are sent only to the destination they were entered for: the provider, its address and
 * the proxy. Only this module implements the rule: every change and every test of a stored channel passes
 * through it.
 */
type Destination = Pick<
  ChannelInput,
  "type" | "base_url" | "proxy" | "other" | "plugin" | "model_headers" | "model_mapping"
>;

/** Names of headers by which proxies and gateways choose the next server. */
const routingHeader =
  /(?:^|[-_])(?:host|url|uri|target|upstream|endpoint|base|proxy|forwarded|origin|destination|server|backend|route|gateway)(?:[-_]|$)/i;
/** Matches a value that contains a URL or a path. */
const address = /:\/\/|^\/|\.\.\//;

/** Returns the fields of `after` that send credentials to another destination than `before` did. */
export function listMovedFields(providers: Providers, before: Destination, after: Destination): string[] {
  const [was, is] = [placesOf(providers, before), placesOf(providers, after)];
  return (Object.keys(is) as (keyof typeof is)[]).filter((field) => was[field] !== is[field]);
}

function placesOf(providers: Providers, channel: Destination) {
  const { base_url: given, other } = channel;
  const base = given === "" ? (providers.get(channel.type)?.baseUrl ?? "") : given;
  return {
    type: String(channel.type),
    base_url: normalizeUrl(base),
    proxy: normalizeUrl(channel.proxy),
    // With the provider's own address, this is a region. In a custom address template it can be the whole
    // host.
    other: address.test(other) || given.includes("{") ? other : "",
    plugin: JSON.stringify(addressesIn(channel.plugin)),
    model_mapping: JSON.stringify(mappedToAddresses(channel)),
    model_headers: JSON.stringify(
      Object.entries(channel.model_headers)
        .filter(([name, value]) => routingHeader.test(name) || address.test(value))
        .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
        .toSorted(),
    ),
  };
}

function mappedToAddresses({ model_mapping }: Pick<Destination, "model_mapping">): [string, string][] {
  return Object.entries(model_mapping).filter(([, target]) => address.test(target));
}

/** Normalizes an address, so that two spellings of it compare as equal. */
function normalizeUrl(text: string): string {
  const url = URL.parse(text);
  return url === null || text.includes("{") ? text : trimEndOf(url.href, "/");
}

function addressesIn(value: unknown, path = ""): string[] {
  if (typeof value === "string")
    return address.test(value) || routingHeader.test(path.split(".").at(-1) ?? "")
      ? [`${path}: ${value}`]
      : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .flatMap(([name, part]) => addressesIn(part, `${path}.${name}`))
    .toSorted();
}

/**
 * Returns the fields of `after` that could send a key to another destination, for keys that are only referenced. No one
 * who changes these fields can enter such a key again, so every difference counts.
 */
export function differingFields(before: Destination, after: Destination): string[] {
  const fields = ["type", "base_url", "proxy", "other", "plugin", "model_headers", "model_mapping"] as const;
  const part = (channel: Destination, field: (typeof fields)[number]) =>
    canonical(field === "model_mapping" ? mappedToAddresses(channel) : channel[field]);
  return fields.filter((field) => part(before, field) !== part(after, field));
}

/** Without the order of the fields of objects, in which the database stores them as it likes. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/**
 * Throws `invalid_request` if someone else than root enters a reference to a key. Only root decides which keys the
 * gateway reads from its environment.
 */
export function requireRootForReferences(actor: Actor, keys: readonly string[]): void {
  if (actor.role === Role.root || !keys.some((key) => referenceSource(key) !== undefined)) return;
  refuse({ key: { reason: "key_reference_root" } });
}

/** Throws `invalid_request` if someone else than root changes where a referenced key is sent. */
export function requireRootForDestination(actor: Actor, differing: readonly string[]): void {
  if (actor.role === Role.root) return;
  refuse(Object.fromEntries(differing.map((field) => [field, { reason: "key_reference_bound" } as const])));
}

function refuse(fields: Readonly<Record<string, FieldIssue>>): void {
  const error = invalidFields(fields);
  if (error !== undefined) throw error;
}

/**
 * Throws `invalid_request` if stored credentials would be sent to another destination. Root may do this: root
 * can read every key anyway.
 * @param moved result of `listMovedFields`
 * @param kept fields whose stored credential would be used
 */
export function requireCredentials(actor: Actor, moved: readonly string[], kept: readonly string[]): void {
  // The proxy's password goes only to the proxy, and the mask of another proxy is already rejected.
  const again = kept.filter((field) => field !== "proxy");
  if (moved.length === 0 || again.length === 0 || actor.role === Role.root) return;
  refuse(Object.fromEntries(again.map((field) => [field, { reason: "credentials_moved" } as const])));
}
