import { phrasesOf } from "@gateway/shared/phrase-list";
import type { UpstreamError } from "#dialects/ir.ts";

/** Errors that did not come from the provider, or already blame the key. */
const settled: ReadonlySet<UpstreamError["kind"]> = new Set([
  "auth",
  "quota",
  "network",
  "timeout",
  "key-unavailable",
]);

/**
 * Returns the error as a key failure when the provider's message contains a phrase that administrators
 * configured for it. Pure.
 * @param requested the raw body, where it can be read. Providers quote what they reject. A phrase from the
 * request is therefore ignored, so that no caller can disable a key by sending it.
 */
export function asKeyFailure(
  error: UpstreamError,
  keywords: string,
  requested: { raw?: Buffer | undefined; model: string },
): UpstreamError {
  if (settled.has(error.kind)) return error;
  const message = error.message.toLowerCase();
  const found = phrasesOf(keywords).filter((phrase) => message.includes(phrase));
  if (found.length === 0) return error;
  // An unreadable body may contain any phrase.
  if (requested.raw === undefined && error.kind === "bad-request") return error;
  const quoted = `${requested.model}\n${plainText(requested.raw)}`.toLowerCase();
  return found.every((phrase) => quoted.includes(phrase)) ? error : { ...error, kind: "auth" };
}

/** Returns all strings in the body with JSON escapes decoded. */
function plainText(raw: Buffer | undefined): string {
  if (raw === undefined) return "";
  const texts: string[] = [];
  try {
    JSON.parse(raw.toString(), (key, value: unknown) => {
      texts.push(key);
      if (typeof value === "string") texts.push(value);
      return undefined;
    });
  } catch {
    return raw.toString();
  }
  return texts.join("\n");
}
