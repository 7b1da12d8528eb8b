import ipaddr from "ipaddr.js";
import { GatewayError, ownerDisabled } from "#errors.ts";
import type { Caller } from "./callers.ts";

/** Checks what a caller may do at a given time and from a given address. Pure functions. */

/** Throws the first reason why this caller may not make calls. */
export function requireUsable(caller: Caller, ip: string, now: number): void {
  if (!caller.userEnabled) throw ownerDisabled();
  if (!caller.tokenEnabled) throw new GatewayError("token_disabled");
  if (caller.expiresAt !== undefined && caller.expiresAt <= now) throw new GatewayError("token_expired");
  const addresses = caller.setting.limits.limits_ip_setting;
  if (addresses.enabled && !addressMatches(ip, addresses.whitelist))
    throw new GatewayError("address_not_allowed", { ip });
}

/**
 * Returns whether the token may use a model. Names in its list may end in `*`. An enabled, empty list allows
 * nothing.
 */
export function mayUseModel(caller: Caller, model: string): boolean {
  const { enabled, models } = caller.setting.limits.limit_model_setting;
  if (!enabled) return true;
  return models.some((name) => (name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : name === model));
}

export function addressMatches(ip: string, patterns: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return patterns.some((pattern) => {
    if (!pattern.includes("/")) return ipaddr.isValid(pattern) && same(address, ipaddr.process(pattern));
    if (!ipaddr.isValidCIDR(pattern)) return false;
    const [network, bits] = ipaddr.parseCIDR(pattern);
    return network.kind() === address.kind() && address.match(network, bits);
  });
}

function same(left: ipaddr.IPv4 | ipaddr.IPv6, right: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return left.kind() === right.kind() && left.toNormalizedString() === right.toNormalizedString();
}
