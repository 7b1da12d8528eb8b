import type { IncomingMessage } from "node:http";

/**
 * Paths of clients whose base URL already ends in what they append, or names a dialect. Only the start of the
 * path is checked.
 */
const spellings: readonly (readonly [RegExp, string])[] = [
  // Google's and Azure's paths for OpenAI's clients.
  [/^\/v1beta\/openai(?:\/v1)?(?=\/)/, "/v1"],
  [/^\/openai\/v1(?=\/)/, "/v1"],
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
  /^\/(?:chat\/completions|completions|responses|conversations|messages|models|embeddings|moderations|images|audio|rerank|realtime|files|batches|fine_tuning|fine-tunes|assistants|threads|vector_stores|uploads)(?=[/?]|$)/;

const credentials = ["authorization", "x-api-key", "x-goog-api-key", "api-key"] as const;

type RequestHead = Pick<IncomingMessage, "url" | "method" | "headers">;

/** Pages are requested by GET, without a key, and by browsers. */
function isPage({ method, headers }: RequestHead): boolean {
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
  for (const [spelling, standard] of spellings)
    if (spelling.test(path)) return base + path.replace(spelling, standard);
  if (unversioned.test(path) && !isPage(request)) return `${base}/v1${path}`;
  return url;
}

/** Returns whether a version was added to the address of a request. */
export function lacksVersion(original: string, standard: string): boolean {
  return original !== standard && !original.includes("/v1") && standard.includes("/v1");
}
