import type { FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";

/** Where the world reaches this site: what the operator says, else what this request came to. */
export function siteUrlOf(request: FastifyRequest, serverAddress: string, root: string): string {
  return serverAddress.replace(/\/+$/, "") || `${request.protocol}://${request.host}${root}`;
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A request that changes something and is signed in by a cookie must come from our own pages; browsers always say
 * where such a request comes from. Without a credential (login, set-up) a foreign origin is refused too; an access
 * token is never sent by a browser on its own, so it needs no origin. The few GETs that change something are taken
 * without a cookie only.
 */
export function requireOwnOrigin(
  request: FastifyRequest,
  credential: "cookie" | "token" | "nothing",
  serverAddress: string,
): void {
  const isSafe = safeMethods.has(request.method) && request.routeOptions.config.changes !== true;
  if (isSafe || credential === "token") return;
  const { origin } = request.headers;
  if (origin === undefined && credential === "nothing" && !isLedHere(request)) return;
  if (origin !== undefined && isOurs(origin, request.host, serverAddress)) return;
  throw new GatewayError("origin_refused", "This request does not come from a page of this console.");
}

/** Browsers name no origin with a GET, but say whether another site made them ask. */
function isLedHere(request: FastifyRequest): boolean {
  const from = request.headers["sec-fetch-site"];
  return from === "cross-site" || from === "same-site";
}

/** The scheme is not compared: behind a proxy that ends TLS ours is not known. A default port counts as none. */
function isOurs(origin: string, ownHost: string, serverAddress: string): boolean {
  const from = URL.parse(origin);
  if (from === null) return false;
  return (
    from.host === URL.parse(`${from.protocol}//${ownHost}`)?.host ||
    from.host === URL.parse(serverAddress)?.host
  );
}
