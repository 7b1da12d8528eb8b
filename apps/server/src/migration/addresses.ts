import { invalidRequest } from "#errors.ts";

/** Options that choose how the connection is encrypted, or which schema is read. Others could name files of the server. */
const allowed = new Map([
  ["sslmode", /^[a-z-]{1,20}$/],
  ["ssl", /^[a-z-]{1,20}$/],
  ["schema", /^[\w-]{1,63}$/],
  ["search_path", /^[\w-]{1,63}$/],
]);
/** A name or an IP address. Drivers decode what is escaped: `%2ftmp` would be a socket. */
const host = /^[\w.-]+$|^\[[\d.:a-f]+\]$/i;

/**
 * Checks an address that was entered in the console. Only databases over the network are allowed: no file and no
 * socket of the server, and no option that reads a file. Throws `invalid_request`.
 */
export function requireNetworkAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (
    url === undefined ||
    !/^(postgres(ql)?|mysql|mariadb):$/.test(url.protocol) ||
    !host.test(url.hostname) ||
    url.pathname.length < 2 ||
    ![url.username, url.password, url.pathname].every(canDecode)
  )
    throw invalidRequest({ reason: "import_address", field: "address" });
  for (const [name, value] of url.searchParams)
    if (allowed.get(name)?.test(value) !== true)
      throw invalidRequest({ reason: "import_address_option", option: name.slice(0, 40), field: "address" });
}

/** Checks the address of a gateway whose management API is read. Throws `invalid_request`. */
export function requireGatewayAddress(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "")
    throw invalidRequest({ reason: "gateway_address", field: "url" });
}

/** Throws `invalid_request` for an address of another database, and for none. */
export function requirePostgres(address: string): void {
  if (!/^postgres(ql)?:\/\//.test(address))
    throw invalidRequest({ reason: "import_address_postgres", field: "address" });
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
