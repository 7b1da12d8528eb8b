/**
 * Which headers an answer may carry. The gateway shares its origin with the console, so nothing that a provider sends
 * may run there: its headers pass by an allow-list, and ours are set last.
 */

/** On every response of the gateway. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

/** Of the provider, and ours that the relay adds. */
const allowed =
  /^(?:content-(?:type|length|encoding|range|language)|accept-ranges|etag|last-modified|retry-after|openai-(?:processing-ms|version|model)|anthropic-[\w-]+|x-upstream-request-id|x-gateway-[\w-]+|x-ratelimit-[\w-]+)$/;

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=(?:"[^"\\]*"|[\w.+-]+))*$/;
/**
 * What a browser shows without running anything in it. Everything else is a file to save: browsers read every type that
 * has xml, svg or html in its name as a page.
 */
const inert =
  /^(?:application\/(?:json|problem\+json|x-ndjson|jsonl|x-jsonl)|text\/event-stream|(?:audio|video|image)\/(?!\S*(?:xml|svg|html))[\w.+-]+)(?:\s*;|$)/;

/** Whether a browser that opens an answer of this type runs nothing in it. */
export function isInert(type: string): boolean {
  const given = type.trim().toLowerCase();
  return mediaType.test(given) && inert.test(given);
}

const filename = /;\s*filename="?([\w .()-]{1,200})"?\s*(?:;|$)/i;

/** The headers of an answer as a client gets them. `own` are the gateway's and win over the provider's. */
export function answerHeaders(
  provider: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(provider))
    if (allowed.test(name.toLowerCase())) headers[name.toLowerCase()] = value;
  const given = (headers["content-type"] ?? "").trim().toLowerCase();
  if (!mediaType.test(given)) headers["content-type"] = "application/octet-stream";
  if (!isInert(given)) {
    const name = filename.exec(provider["content-disposition"] ?? "")?.[1];
    headers["content-disposition"] = name === undefined ? "attachment" : `attachment; filename="${name}"`;
  }
  return { ...headers, ...own, ...securityHeaders };
}
