import { phrasesOf } from "@gateway/shared/phrase-list";
import type { UpstreamError } from "#dialects/ir.ts";

/** Failures that are no word of the provider's, and those that speak against the key already. */
const settled: ReadonlySet<UpstreamError["kind"]> = new Set(["auth", "quota", "network", "timeout"]);

/**
 * The error, as one of the key when the provider's sentence has a phrase that operators take for that. Pure.
 * @param requested the body as it came, where it can be read. Providers quote what they refuse, and no one shall switch a
 * key off by writing the phrase into a request: such a quote is no evidence.
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
  // A body that cannot be read may hold any phrase.
  if (requested.raw === undefined && error.kind === "bad-request") return error;
  const quoted = `${requested.model}\n${plainText(requested.raw)}`.toLowerCase();
  return found.every((phrase) => quoted.includes(phrase)) ? error : { ...error, kind: "auth" };
}

/** Every text in the body, without the escapes that JSON allows. */
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
