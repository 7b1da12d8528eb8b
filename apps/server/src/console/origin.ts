import type { FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects a request that changes something and comes from a page of another site. Browsers name the source of
 * such a request: `Origin` with everything but a GET, `Sec-Fetch-Site` with everything (over https), else
 * `Referer`.
 * A request without these headers comes from a program that keeps its cookie, and is accepted. The cookie is
 * SameSite=Strict, so no other site can make a browser send it. A browser sends an access token only when a
 * script sets it.
 */
export function requireOwnOrigin(
  request: FastifyRequest,
  credential: "cookie" | "token" | "nothing",
  serverAddress: string,
): void {
  const isSafe = safeMethods.has(request.method) && request.routeOptions.config.checksOrigin !== true;
  if (isSafe || credential === "token") return;
  const { origin, referer } = request.headers;
  const ours = (address: string) => isOurs(address, request.host, serverAddress);
  if (origin !== undefined) {
    if (ours(origin)) return;
  } else if (request.headers["sec-fetch-site"] !== undefined) {
    // A browser without an origin: a link, a picture or a frame, or a GET of a script of our own page. Without a
    // credential, all of our own pages are accepted.
    if (isOwnScript(request) || (credential === "nothing" && !isLedHere(request))) return;
  } else if (referer === undefined ? !mayBeLed(request, credential) : ours(referer)) return;
  throw new GatewayError("origin_refused", { reason: "page_of_another_site" });
}

/**
 * Rejects links, for a GET that signs a user in without a state. A script or a program may call it. A page or
 * a link must not lead a browser to it, because the user would then work in the account of the link's author.
 * Old browsers, and all browsers over plain http, send no `Sec-Fetch-` headers; they request pages as
 * `text/html`. Content that another site embeds cannot set the session cookie, which is SameSite=Strict.
 * Throws `origin_refused`.
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
 * Returns whether a script of our own page sent a GET. Browsers name what a response is for: nothing else has the
 * destination "empty", for which a page cannot be led there by content that it shows.
 */
function isOwnScript(request: FastifyRequest): boolean {
  const { headers, method } = request;
  return (
    safeMethods.has(method) &&
    headers["sec-fetch-site"] === "same-origin" &&
    headers["sec-fetch-dest"] === "empty"
  );
}

/**
 * Returns whether a link may have caused a request without source headers. Over plain http browsers send no
 * `Sec-Fetch-Site`, and a page decides whether they send a `Referer`. Another port of this host is the same
 * site, so the cookie is sent. Only the browser's user agent is left to check. Anything but a GET would have
 * an origin. Scripts of our console name the version of the API: another origin could add that header only after a
 * preflight request, which the management API does not answer.
 */
function mayBeLed(request: FastifyRequest, credential: "cookie" | "nothing"): boolean {
  const isBrowser = /^Mozilla\//i.test(request.headers["user-agent"]?.trim() ?? "");
  const namesVersion = request.headers["api-version"] !== undefined;
  return credential === "cookie" && isBrowser && !namesVersion && safeMethods.has(request.method);
}

/**
 * Returns whether another site caused the request. Browsers send no origin with a GET, but they send this
 * header.
 */
function isLedHere(request: FastifyRequest): boolean {
  const from = request.headers["sec-fetch-site"];
  return from === "cross-site" || from === "same-site";
}

/**
 * Compares host and port. The scheme is ignored: behind a proxy that ends TLS ours is unknown. A default port
 * equals none.
 */
function isOurs(origin: string, ownHost: string, serverAddress: string): boolean {
  const from = URL.parse(origin);
  if (from === null) return false;
  return (
    from.host === URL.parse(`${from.protocol}//${ownHost}`)?.host ||
    from.host === URL.parse(serverAddress)?.host
  );
}
