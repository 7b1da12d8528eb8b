import { SiteAddress } from "@gateway/shared/site/formats/site-address";
import type { Settings } from "@gateway/shared/site/settings";
import { trimEndOf } from "@gateway/shared/trim-end";
import { GatewayError } from "#errors.ts";

/**
 * The public address of this site. It comes only from the settings. The client controls the `Host` header, so
 * no link that is signed, mailed or shown to other users may contain it.
 */
type Source = Pick<Settings, "ServerAddress">;

/**
 * Returns the public URL without a trailing slash; undefined if no server address is configured. The
 * configured address may include the base path or not.
 * @param root the base path: "" or "/gateway"
 */
export function publicUrlOf({ ServerAddress }: Source, root = ""): string | undefined {
  const url = SiteAddress.safeParse(ServerAddress).success ? URL.parse(ServerAddress) : null;
  if (url === null) return undefined;
  const address = trimEndOf(`${url.origin}${url.pathname}`, "/");
  return trimEndOf(url.pathname, "/").endsWith(root) ? address : `${address}${root}`;
}

/**
 * Returns the public URL. Throws `server_address_missing`, which tells an administrator where to configure
 * it.
 */
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
