import type { UpstreamError } from "#dialects/ir.ts";
import { TransportError } from "#platform/http.ts";
import { CredentialError } from "#providers/provider.ts";

/** A failure before any answer, in the words of the retry rules. Anything else is a defect and passes. */
export function transportFailure(error: unknown): UpstreamError {
  if (error instanceof CredentialError) return { kind: "auth", message: error.message, status: 0 };
  if (!(error instanceof TransportError)) throw error;
  return {
    kind: error.kind === "timeout" ? "timeout" : "network",
    message: error.message,
    status: 0,
    ...(error.isLimit ? { tooLong: true } : {}),
  };
}
