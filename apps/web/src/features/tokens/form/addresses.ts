/** Validates IP addresses and ranges. Pure. */

const octet = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const ipv4 = new RegExp(`^${octet}(\\.${octet}){3}$`);

function isIpv6(text: string): boolean {
  if (!/^[\da-f:.]+$/i.test(text) || !text.includes(":")) return false;
  // The URL parser supports every notation.
  return URL.canParse(`http://[${text}]/`);
}

/** "10.0.0.7", "10.0.0.0/8", "2001:db8::/32" */
export function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const largest = ipv4.test(address) ? 32 : isIpv6(address) ? 128 : -1;
  if (largest < 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= largest);
}
