/**
 * Headers of responses. The gateway shares its origin with the console, so nothing from a provider may run in
 * a browser there. Provider headers pass an allow-list, and ours are set last.
 */

/** Headers of every response of the gateway. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

/** Allowed headers: the provider's, and those that the relay adds. */
const allowed =
  /^(?:content-(?:type|length|encoding|range|language)|accept-ranges|etag|last-modified|retry-after|openai-(?:processing-ms|version|model)|anthropic-[\w-]+|x-upstream-request-id|x-gateway-[\w-]+|x-ratelimit-[\w-]+)$/;

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=(?:"[^"\\]*"|[\w.+-]+))*$/;
/**
 * Types that browsers display without running anything. All others are downloads: browsers treat every type
 * with xml, svg or html in its name as a page.
 */
const inert =
  /^(?:application\/(?:json|problem\+json|x-ndjson|jsonl|x-jsonl)|text\/event-stream|(?:audio|video|image)\/(?!\S*(?:xml|svg|html))[\w.+-]+)(?:\s*;|$)/;

/** Whether a browser that opens a response of this type runs nothing in it. */
export function isInert(type: string): boolean {
  const given = type.trim().toLowerCase();
  return mediaType.test(given) && inert.test(given);
}

const filename = /;\s*filename="?([\w .()-]{1,200})"?\s*(?:;|$)/i;

/** Returns the provider's headers that clients may see, with names in lower case. */
export function allowedHeaders(provider: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in provider) {
    const lower = name.toLowerCase();
    if (allowed.test(lower)) headers[lower] = provider[name] ?? "";
  }
  return headers;
}

/** Returns the headers for the client. `own` are the gateway's and override the provider's. */
export function answerHeaders(
  provider: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers = allowedHeaders(provider);
  const given = (headers["content-type"] ?? "").trim().toLowerCase();
  if (!mediaType.test(given)) headers["content-type"] = "application/octet-stream";
  if (!isInert(given)) {
    const name = filename.exec(provider["content-disposition"] ?? "")?.[1];
    headers["content-disposition"] = name === undefined ? "attachment" : `attachment; filename="${name}"`;
  }
  return { ...headers, ...own, ...securityHeaders };
}
