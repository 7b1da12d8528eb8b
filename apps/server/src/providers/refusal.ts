import { entryOf } from "@gateway/shared/lookup-table";
import type { UpstreamError } from "#dialects/ir.ts";
import type { Provider } from "./provider.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the error with the kind that this provider's codes define.
 * Pure; a provider without own codes leaves it unchanged.
 */
export function refusal(
  { refusals }: Pick<Provider, "refusals">,
  error: UpstreamError,
  headers: Headers = {},
): UpstreamError {
  if (refusals === undefined) return error;
  const named = refusals.header === undefined ? undefined : headers[refusals.header];
  const code = (Array.isArray(named) ? named[0] : named)?.split(":", 1)[0] ?? error.code ?? "";
  const { kinds, sentences } = refusals;
  const matched = sentences?.find(([sentence]) => sentence.test(error.message))?.[1];
  const kind =
    matched ??
    entryOf(kinds, code) ??
    entryOf(kinds, code.split(".", 1)[0] ?? "") ??
    entryOf(kinds, String(error.status));
  return kind === undefined || kind === error.kind ? error : { ...error, kind };
}
