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
  } else if (referer === undefined ? !mayBeLed(request, credential) : ours(referer)) return;
  throw new GatewayError("origin_refused", { reason: "page_of_another_site" });
}

/**
 * For a GET that signs someone in without a state: a script or a program may call it, a page or a link must not lead a
 * browser to it, because its owner would go on in the account of whoever made the link. Old browsers, and all over plain
 * http, send no `Sec-Fetch-` headers; what they open as a page they ask for as `text/html`. What a page of another site
 * embeds cannot set the session cookie, which is SameSite=Strict. Throws `origin_refused`.
 */
export function requireNoLink(request: FastifyRequest, serverAddress: string): void {
  const { accept = "", origin, referer } = request.headers;
  const ours = (address: string | undefined) =>
    address === undefined || isOurs(address, request.host, serverAddress);
  const mode = request.headers["sec-fetch-mode"];
  const opensPage = mode === "navigate" || /\btext\/html\b/i.test(accept);
  if (!opensPage && !isLedHere(request) && ours(origin) && ours(referer)) return;
  throw new GatewayError("origin_refused", { reason: "sign_in_from_another_site" });
}

/**
 * Over plain http browsers send no `Sec-Fetch-Site`, and a page decides whether they send a `Referer`. Another port of
 * this host is the same site, so the cookie comes along. Only the name of the browser is left; with anything but a GET
 * it would have named an origin.
 */
function mayBeLed(request: FastifyRequest, credential: "cookie" | "nothing"): boolean {
  const isBrowser = /^Mozilla\//i.test(request.headers["user-agent"]?.trim() ?? "");
  return credential === "cookie" && isBrowser && safeMethods.has(request.method);
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
