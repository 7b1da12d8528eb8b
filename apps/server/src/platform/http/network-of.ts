import ipaddr from "ipaddr.js";

/** Number of leading bits that identify one client. */
export interface NetworkSize {
  ipv4: number;
  ipv6: number;
}

/** An IPv6 client usually has a whole /64. */
const oneClient: NetworkSize = { ipv4: 32, ipv6: 64 };

/**
 * Returns the network of an address in canonical form, for example `203.0.113.0/24`. Returns anything that is
 * not an address unchanged.
 */
export function networkOf(address: string, size: NetworkSize = oneClient): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bits = parsed.kind() === "ipv4" ? size.ipv4 : size.ipv6;
  const bytes = parsed.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
