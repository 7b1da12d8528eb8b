import type { FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A request that changes something must not come from a page of another site. Browsers say where such a request comes
 * from: `Origin` with everything but a GET, `Sec-Fetch-Site` with everything (over https), else `Referer`. A request
 * that says nothing comes from a program that keeps its cookie, and is taken; the cookie is SameSite=Strict, so no
 * other site can make a browser send it. An access token is never sent by a browser without a script's doing.
 */
export function requireOwnOrigin(
  request: FastifyRequest,
  credential: "cookie" | "token" | "nothing",
  serverAddress: string,
): void {
  const isSafe = safeMethods.has(request.method) && request.routeOptions.config.changes !== true;
  if (isSafe || credential === "token") return;
  const { origin, referer } = request.headers;
  const ours = (address: string) => isOurs(address, request.host, serverAddress);
  if (origin !== undefined) {
    if (ours(origin)) return;
  } else if (request.headers["sec-fetch-site"] !== undefined) {
    // A browser that names no origin: a link, a picture or a frame. Without a credential our own may ask.
    if (credential === "nothing" && !isLedHere(request)) return;
  } else if (referer === undefined || ours(referer)) return;
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
