import type { UpstreamWire } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import type { CancelSignal } from "#platform/cancellation.ts";
import { type RequestProgress, TransportError, type UpstreamResponse } from "#platform/http.ts";
import { CredentialError } from "#providers/provider.ts";
import { refusal } from "#providers/refusal.ts";
import type { Chosen } from "./call.ts";
import { send, type ToProvider } from "./send.ts";
import type { RelayServices } from "./services.ts";

/** Sends a request to a target and tells an answer from an error: the only place that reads a provider's error. */
export interface Encoded {
  request: Omit<ToProvider, "signal" | "progress">;
  /** Reads an error in the format that the request has; undefined where errors pass to the client as they come. */
  decodeError: UpstreamWire["decodeError"] | undefined;
}

/** An attempt without an answer. */
export interface Failed {
  error: UpstreamError;
}

export type Target = Pick<Chosen, "channel" | "key" | "upstreamModel">;

/** What one target is sent, and how its answer is read. */
export interface Attempt<To extends Target, Answer extends object, Sent extends Encoded, Context> {
  /** Pure. */
  encode(target: To): Sent;
  read(response: UpstreamResponse, sent: Sent, context: Context): Promise<Answer | Failed>;
}

/**
 * One attempt at one target. A call of a client goes through `relay`, which decides on the target; a question of the
 * gateway's own (a poll, a probe) has one target and no bill, and is asked here.
 * @param context passed to `read`
 */
export async function attempt<To extends Target, Answer extends object, Sent extends Encoded, Context>(
  services: Pick<RelayServices, "settings" | "upstream">,
  target: To,
  exchange: Attempt<To, Answer, Sent, Context>,
  upstream: { signal: CancelSignal } & Partial<RequestProgress>,
  context: Context,
): Promise<Answer | Failed> {
  try {
    const sent = exchange.encode(target);
    const requested = await ask(services, target, sent, upstream);
    return "error" in requested ? requested : await exchange.read(requested.response, sent, context);
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

/** @param upstream cancels the request; is told how far it got, where a client may disconnect */
async function ask(
  services: Pick<RelayServices, "settings" | "upstream">,
  target: Target,
  { request, decodeError }: Encoded,
  upstream: { signal: CancelSignal } & Partial<RequestProgress>,
): Promise<{ response: UpstreamResponse } | Failed> {
  try {
    const { signal } = upstream;
    const progress = isProgress(upstream) ? upstream : undefined;
    const response = await send(services, target, { ...request, signal, progress });
    if ((response.status >= 200 && response.status < 300) || decodeError === undefined) return { response };
    const error = decodeError(response.status, await errorText(response), response.headers);
    return { error: refusal(target.channel.provider, error, response.headers) };
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

function isProgress(upstream: Partial<RequestProgress>): upstream is RequestProgress {
  return upstream.sent !== undefined;
}

/** More of an error's body than this says nothing new. */
const MAX_ERROR_BYTES = 256 * 1024;

/** The body of an error; empty when it cannot be read. */
export function errorText(response: Pick<UpstreamResponse, "text">): Promise<string> {
  return response.text(MAX_ERROR_BYTES).catch(() => "");
}

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
