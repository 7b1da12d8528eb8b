import type { AnswerMender, Upstream } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId, UpstreamError } from "#dialects/ir.ts";
import type { ChannelInForce } from "#domain/channels/channel-in-force.ts";
import { type RequestProgress, TransportError, type UpstreamResponse } from "#platform/http.ts";
import { CredentialError, dialectsFor, type Need } from "#providers/provider.ts";
import { refusal } from "#providers/refusal.ts";
import type { ChatCall, RelayServices } from "#relay/core/call.ts";
import { answerBytes } from "#relay/core/excess.ts";
import type { Chosen } from "#relay/core/plan.ts";
import { send, shapeOf } from "#relay/core/send.ts";
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

/** What a call of this client speaks to this channel. */
export function upstreamFor(
  channel: ChannelInForce,
  client: DialectId,
  model: string,
  request?: ChatRequest,
): Upstream {
  const own = channel.provider.wire?.(shapeOf(channel, { model }));
  return own ?? dialects[dialectFor(channel, client, model, request)];
}

/**
 * The client's own dialect where the vendor speaks it and the operator has not forbidden it, else the vendor's first.
 * Some vendors speak another for what this request holds.
 */
export function dialectFor(
  channel: ChannelInForce,
  client: DialectId,
  model: string,
  request?: ChatRequest,
): DialectId {
  const needs = channel.provider.speaks === undefined || request === undefined ? undefined : needsOf(request);
  const spoken = dialectsFor(channel.provider, shapeOf(channel, { model, needs }));
  if (client === "openai-responses" && channel.compatibleResponse) return spoken[0];
  return spoken.includes(client) ? client : spoken[0];
}

/** What a provider may want to know of a request before it says in which dialect it takes it. */
function needsOf({ tools, serverTools, reasoning }: ChatRequest): ReadonlySet<Need> | undefined {
  if (tools === undefined && serverTools === undefined) return undefined;
  const needs = new Set<Need>();
  if (tools !== undefined && tools.length > 0) needs.add("tools");
  for (const { kind, extra } of serverTools ?? [])
    if (kind !== "other" && extra.dialect !== "openai-chat") needs.add(kind);
  const { effort, budgetTokens, adaptive } = reasoning ?? {};
  if (effort === "none" || budgetTokens === 0) needs.add("no-thinking");
  else if (effort !== undefined || budgetTokens !== undefined || adaptive === true) needs.add("thinking");
  return needs;
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
