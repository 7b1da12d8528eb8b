import { SiteAddress } from "@gateway/shared/site/formats/site-address";
import type { Settings } from "@gateway/shared/site/settings";
import type { FastifyRequest } from "fastify";
import { publicUrlOf } from "#domain/settings/public-url.ts";

/**
 * Returns the configured address of this site. While none is configured, it is the one that the client used: the
 * answer must go to this client alone, and must not be cached. Undefined if that is no address.
 * @param root the base path: "" or "/gateway"
 */
export function ownAddress(settings: Settings, request: FastifyRequest, root: string): string | undefined {
  const configured = publicUrlOf(settings, root);
  if (configured !== undefined) return configured;
  const address = `${request.protocol}://${request.host}${root}`;
  return SiteAddress.safeParse(address).success && /^https?:\/\/[\w.:[\]/~-]+$/.test(address)
    ? address
    : undefined;
}
