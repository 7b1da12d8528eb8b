import type { UpstreamWire } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { RequestProgress, UpstreamResponse } from "#platform/http/exchange.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import { KeyUnavailableError } from "#platform/key-sources/key-value.ts";
import { CredentialError } from "#providers/provider.ts";
import { refusal } from "#providers/refusal.ts";
import type { PricedTarget } from "#relay/core/call.ts";
import { unreadableError } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { send, type ToProvider } from "./send.ts";

/**
 * Sends a request to a target and separates responses from errors. Only this module decodes provider errors.
 */
export interface EncodedRequest {
  request: Omit<ToProvider, "signal" | "progress">;
  /** Decodes an error in the format of the request; undefined where errors pass to the client unchanged. */
  decodeError: UpstreamWire["decodeError"] | undefined;
}

/** A failed attempt. */
export interface FailedAttempt {
  error: UpstreamError;
}

export type Target = Pick<PricedTarget, "channel" | "key" | "upstreamModel">;

/** Encodes the request for one target and reads its response. */
export interface Attempt<Answer extends object, Sent extends EncodedRequest> {
  /** Must be pure. */
  encode(): Sent;
  read(response: UpstreamResponse, sent: Sent): Promise<Answer | FailedAttempt>;
}

/**
 * Makes one attempt at one target. Client calls go through `relay`, which chooses the target. The gateway's
 * own requests (polls, probes) have one target and no bill, and call this directly.
 * @param upstream cancels the request; receives its progress where a client may disconnect
 */
export async function attempt<Answer extends object, Sent extends EncodedRequest>(
  services: Pick<RelayServices, "settings" | "upstream">,
  target: Target,
  exchange: Attempt<Answer, Sent>,
  upstream: { signal: CancelSignal } & Partial<RequestProgress>,
): Promise<Answer | FailedAttempt> {
  try {
    const sent = exchange.encode();
    const { request, decodeError } = sent;
    const { signal } = upstream;
    const progress = isProgress(upstream) ? upstream : undefined;
    const response = await send(services, target, { ...request, signal, progress });
    if ((response.status >= 200 && response.status < 300) || decodeError === undefined)
      return await readOr(response, () => exchange.read(response, sent));
    const decoded = decodeError(response.status, await errorText(response), response.headers);
    const error = refusal(target.channel.provider, decoded, response.headers);
    // A key that is stored elsewhere may have been replaced there.
    if (error.kind === "auth") target.key?.referenced?.refused();
    return { error };
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

/** Reads a response. One that is nested too deeply to be read or written is unreadable. */
async function readOr<Answer>(
  response: Pick<UpstreamResponse, "status" | "cancel">,
  read: () => Promise<Answer | FailedAttempt>,
): Promise<Answer | FailedAttempt> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    response.cancel();
    return { error: unreadableError(response.status) };
  }
}

function isProgress(upstream: Partial<RequestProgress>): upstream is RequestProgress {
  return upstream.sent !== undefined;
}

/** Maximum part of an error body that is read, in bytes. The rest adds no information. */
const MAX_ERROR_BYTES = 256 * 1024;

/** Reads the body of an error. Returns "" when it cannot be read. */
export function errorText(response: Pick<UpstreamResponse, "text">): Promise<string> {
  return response.text(MAX_ERROR_BYTES).catch(() => "");
}

/**
 * Maps a failure before any response to an error for the retry rules. Rethrows everything else: it is a
 * defect.
 */
export function transportFailure(error: unknown): UpstreamError {
  if (error instanceof CredentialError) return { kind: "auth", message: error.message, status: 0 };
  if (error instanceof KeyUnavailableError)
    return { kind: "key-unavailable", message: error.message, status: 0 };
  if (!(error instanceof TransportError)) throw error;
  return {
    kind: error.kind === "timeout" ? "timeout" : "network",
    message: error.message,
    status: 0,
    ...(error.isLimit ? { tooLong: true } : {}),
  };
}
