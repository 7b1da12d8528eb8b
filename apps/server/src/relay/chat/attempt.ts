import type { AnswerMender, Upstream } from "#dialects/dialect.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import type { RequestProgress, UpstreamResponse } from "#platform/http.ts";
import { refusal } from "#providers/refusal.ts";
import type { Chosen } from "#relay/core/call.ts";
import { answerBytes } from "#relay/core/excess.ts";
import { send, shapeOf } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { upstreamFor } from "#relay/core/spoken-dialect.ts";
import { transportFailure } from "#relay/core/upstream-error.ts";
import type { ChatCall } from "./chat-call.ts";
import { encodeBody } from "./outgoing-body.ts";

/** One upstream call: encode, send, classify. */
export type Attempted =
  | {
      ok: true;
      response: UpstreamResponse;
      upstream: Upstream;
      /** Only where the answer would otherwise pass untouched, and its provider deviates from the dialect. */
      mender: AnswerMender | undefined;
      dropped: string[];
    }
  | { ok: false; error: UpstreamError };

/** More of an error's body than this says nothing new. */
const MAX_ERROR_BYTES = 256 * 1024;

/** What one attempt needs to know; a test of a channel has no more than this. */
export type Tried = Pick<
  ChatCall,
  "client" | "body" | "raw" | "request" | "forward" | "signal" | "rewritten" | "fetched"
> &
  Partial<Pick<ChatCall, "estimate">>;
export type Target = Pick<Chosen, "channel" | "key" | "upstreamModel">;

/** @param progress in place of the call's own signal, where a client may disconnect */
export async function attempt(
  services: Pick<RelayServices, "settings" | "upstream">,
  call: Tried,
  chosen: Target,
  progress?: RequestProgress & { signal: AbortSignal },
): Promise<Attempted> {
  const { channel } = chosen;
  const upstream = upstreamFor(channel, call.client.id, chosen.upstreamModel, call.request);
  const { stream } = call.request;
  const dialect = upstream.id === "own" ? {} : { dialect: upstream.id };
  const asked = { model: chosen.upstreamModel, stream, ...dialect };
  const settings = services.settings.current();
  const { body, dropped } = encodeBody(call, chosen, upstream, shapeOf(channel, asked), settings);
  try {
    const response = await send(services, chosen, {
      method: "POST",
      path: upstream.path(asked),
      ...asked,
      headers: {
        "content-type": "application/json",
        accept: stream ? "text/event-stream" : "application/json",
        ...(upstream.id === call.client.id ? call.forward : {}),
      },
      body,
      signal: progress?.signal ?? call.signal,
      progress,
      ...(call.estimate === undefined ? {} : { maxBytes: answerBytes({ ...call, estimate: call.estimate }) }),
    });
    if (response.status >= 200 && response.status < 300) {
      const mends = upstream.id === call.client.id ? channel.provider.mends?.[upstream.id] : undefined;
      return { ok: true, response, upstream, mender: mends?.(), dropped };
    }
    const text = await response.text(MAX_ERROR_BYTES).catch(() => "");
    const error = upstream.decodeError(response.status, text, response.headers);
    return { ok: false, error: refusal(channel.provider, error, response.headers) };
  } catch (error) {
    return { ok: false, error: transportFailure(error) };
  }
}
