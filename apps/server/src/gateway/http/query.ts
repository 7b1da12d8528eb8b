import { invalidRequest } from "#errors.ts";
import { foldName } from "#gateway/body/one-reading.ts";

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
