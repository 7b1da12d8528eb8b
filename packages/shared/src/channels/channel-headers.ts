/** Headers that an operator adds to the requests of a channel. */

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
// Visible characters, blanks and the rest of Latin-1, as the HTTP client accepts. Line breaks are rejected to
// prevent header injection.
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers about the connection, the length and the coding of the body, and the addressed host. The gateway sets
 * them to what it sends: with other values the provider would read another request, or the request cannot be sent.
 */
const reservedName =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-(?:length|encoding)|expect|http2-settings|sec-websocket-.*)$/i;

/**
 * Most characters of one header, and of all headers of a channel. Servers refuse requests whose headers have more
 * than 16 or 8 KB together, so one large value would make every call fail.
 */
const MOST_IN_HEADER = 4_096;
export const MOST_IN_HEADERS = 6_144;

export function sizeOfHeaders(headers: Readonly<Record<string, string>>): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

/** Returns why a header cannot be added, or undefined. */
export function headerFault(name: string, value: string) {
  if (!headerName.test(name)) return "header_name";
  if (name.length + value.length > MOST_IN_HEADER) return "header_too_long";
  if (reservedName.test(name)) return "header_reserved";
  return headerValue.test(value) ? undefined : "header_value";
}

/**
 * Returns the headers that can be sent, with names in lowercase: two spellings of a name would be sent as two
 * headers. Channels that were stored before these rules may have others.
 */
export function sendableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  let size = 0;
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => {
        if (headerFault(name, value) !== undefined) return false;
        size += name.length + value.length;
        return size <= MOST_IN_HEADERS;
      })
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
}
