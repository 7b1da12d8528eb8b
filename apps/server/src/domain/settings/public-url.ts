import type { Settings } from "@gateway/shared/site/settings";
import { SiteAddress } from "@gateway/shared/site/site-address";
import { GatewayError } from "#errors.ts";

/**
 * The public address of this site. It comes from the settings only: a request's `Host` header is chosen by its sender,
 * so it must never reach a link that is signed, mailed or shown to other people.
 */
type Source = Pick<Settings, "ServerAddress">;

/**
 * Without a slash at the end; undefined while no server address is configured. The operator may name the base path in
 * the address or leave it out.
 *
 * @param root the base path: "" or "/gateway"
 */
export function publicUrlOf({ ServerAddress }: Source, root = ""): string | undefined {
  const url = SiteAddress.safeParse(ServerAddress).success ? URL.parse(ServerAddress) : null;
  if (url === null) return undefined;
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  return url.pathname.replace(/\/+$/, "").endsWith(root) ? address : `${address}${root}`;
}

/** The same. Throws `server_address_missing`, which tells an administrator where to configure it. */
export function requirePublicUrl(
  settings: Source,
  { root, isAdmin }: { root: string; isAdmin: boolean },
): string {
  const url = publicUrlOf(settings, root);
  if (url !== undefined) return url;
  throw new GatewayError("server_address_missing", {
    reason: isAdmin ? "server_address_unset" : "site_address_unset",
  });
}
