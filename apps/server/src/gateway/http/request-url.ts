import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { invalidRequest } from "#errors.ts";
import { foldName } from "#gateway/body/one-reading.ts";

/**
 * Paths of clients whose base URL already ends in what they append, or names a dialect. Only the start of the
 * path is checked.
 */
const spellings: readonly (readonly [RegExp, string])[] = [
  // Google's and Azure's paths for OpenAI's clients.
  [/^\/v1beta\/openai(?:\/v1)?(?=\/)/, "/v1"],
  [/^\/openai\/v1(?=\/)/, "/v1"],
  // The base URL of providers that serve Messages beside another format.
  [/^\/anthropic(?:\/v1)?(?=\/)/, "/v1"],
  // The version is in the base URL and added again by the client.
  [/^\/v1\/v1(?=\/)/, "/v1"],
  [/^\/v1beta\/v1beta(?=\/)/, "/v1beta"],
  [/^\/claude\/v1\/v1(?=\/)/, "/claude/v1"],
];

/**
 * OpenAI's and Anthropic's paths without their version: the base URL of the client lacks `/v1`. `/models` is also a
 * page of the site.
 */
const unversioned =
  /^\/(?:chat\/completions|completions|responses|conversations|messages|models|embeddings|moderations|images|audio|rerank|realtime|files|batches|fine_tuning|fine-tunes|assistants|threads|vector_stores|uploads|usage)(?=[/?]|$)/;

const credentials = ["authorization", "x-api-key", "x-goog-api-key", "api-key"] as const;

type RequestHead = Pick<IncomingMessage, "url" | "method" | "headers">;

/** Pages are requested by GET, without a key, and by browsers. */
export function isPage({ method, headers }: RequestHead): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return headers.accept?.includes("text/html") === true || !credentials.some((name) => name in headers);
}

/** @param basePath without leading and trailing slashes */
export function standardUrl(request: RequestHead, basePath: string): string {
  const { url = "/" } = request;
  // Most URLs skip this regular expression.
  const start = url.startsWith("//") ? url.replace(/^\/+/, "/") : url;
  const base = basePath !== "" && start.startsWith(`/${basePath}/`) ? `/${basePath}` : "";
  const path = start.slice(base.length);
  if (path.startsWith(quoteStart)) return quoteUrl(base, path) ?? url;
  for (const [spelling, standard] of spellings)
    if (spelling.test(path)) return base + path.replace(spelling, standard);
  if (unversioned.test(path) && !isPage(request)) return `${base}/v1${path}`;
  return url;
}

const quoteStart = "/v1/quote?";
const endpointForm = /^\/[\w./:@-]+$/;

/** Returns the address of a quote for the chat endpoint that its query names; undefined without one. */
function quoteUrl(base: string, path: string): string | undefined {
  const query = new URLSearchParams(path.slice(quoteStart.length));
  const endpoint = query.get("endpoint");
  if (endpoint === null || !endpointForm.test(endpoint)) return undefined;
  query.delete("endpoint");
  const rest = query.size > 0 ? `?${query.toString()}` : "";
  return `${base}/v1/quote${endpoint}${rest}`;
}

/**
 * Whether a request has several Host headers: a proxy before the gateway may have used another one than the gateway would
 * (RFC 9112, section 3.2).
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): boolean {
  let hosts = 0;
  // Names have even places. The comparison of lengths skips nearly all of them.
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts += 1;
  return hosts > 1;
}

/** Returns whether a version was added to the address of a request. */
export function lacksVersion(original: string, standard: string): boolean {
  return original !== standard && !original.includes("/v1") && standard.includes("/v1");
}

/** Query parameters that affect a call. Each may occur once and in one spelling. */
const interpreted = new Set(["model", "key", "alt", "stream", "api-version", "limit", "order", "after"]);
const folded = new Map([...interpreted].map((name) => [foldName(name), name]));

/** Throws `invalid_request` for a parameter that parsers could read differently. */
export function requireSingleParameters(url: string): void {
  if (/%00/.test(url)) throw invalidRequest({ reason: "address_nul" });
  const mark = url.indexOf("?");
  if (mark < 0) return;
  const seen = new Set<string>();
  for (const name of new URLSearchParams(url.slice(mark)).keys()) {
    const known = folded.get(foldName(name));
    if (known === undefined) continue;
    if (name !== known)
      throw invalidRequest({ reason: "parameter_spelling", name, standard: known }, { param: known });
    if (seen.has(name)) throw invalidRequest({ reason: "parameter_repeated", name }, { param: name });
    seen.add(name);
  }
}

/** Returns the query string as received, without our own key; "" or starting with `?`. */
export function queryWithoutKey(url: string): string {
  const mark = url.indexOf("?");
  if (mark < 0) return "";
  const parts = url.slice(mark + 1).split("&");
  const kept = parts.filter((part) => part !== "" && !new URLSearchParams(part).has("key"));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

/**
 * Returns the target of a path: the model and the action that Gemini's clients put there,
 * `gemini-2.5-flash:streamGenerateContent`. Undefined for a path without one.
 */
export function targetOf({
  params,
}: Pick<FastifyRequest, "params">): { model: string; action: string } | undefined {
  const { "*": target } = (params ?? {}) as { "*"?: string };
  if (target === undefined) return undefined;
  const colon = target.lastIndexOf(":");
  return { model: target.slice(0, Math.max(0, colon)), action: target.slice(colon + 1) };
}
