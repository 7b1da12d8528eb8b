import type { Settings } from "@gateway/shared/site/settings";
import type { AnswerMender, Upstream } from "#dialects/dialect.ts";
import { bothMenders, markProofs } from "#dialects/reasoning/proof.ts";
import { betasIn, forwardedTo } from "#providers/models/messages-hosts.ts";
import { proofOrigin } from "#providers/provider.ts";
import { answerBytes } from "#relay/core/routing/excess.ts";
import type { EncodedRequest, Target } from "#relay/core/upstream/ask.ts";
import { type ToProvider, shapeOf, upstreamFor } from "#relay/core/upstream/send.ts";
import type { ChatCall } from "./chat-call.ts";
import { encodeBody } from "./outgoing-body.ts";

/** A chat call, encoded for one target. */
export interface EncodedChat extends EncodedRequest {
  upstream: Upstream;
  /** Set only where the provider may deviate from the dialect, or its proofs of thinking need a mark. */
  mender: AnswerMender | undefined;
  /** Origin of the proofs of thinking in the response. */
  origin: string | undefined;
  /** Fields of the request that the target's format cannot express. */
  dropped: string[];
}

/** A chat call as it is sent. */
export interface SentChatCall extends ChatCall {
  /** The limit that was added, because the balance or a budget does not cover the longest response. */
  readonly outputLimit?: number;
}

/** Input of the encoding. A channel test has no more fields than these. */
export type EncodableChat = Pick<
  ChatCall,
  "client" | "body" | "raw" | "request" | "forward" | "rewritten" | "fetched"
> &
  Partial<Pick<SentChatCall, "estimate" | "sockets" | "continued" | "outputLimit">>;

/** Encodes a call for a target. Pure. */
export function encodeChat(call: EncodableChat, target: Target, settings: Settings): EncodedChat {
  const { channel, upstreamModel: model } = target;
  const upstream = upstreamFor(channel, call.client.id, model, call.request);
  const { stream } = call.request;
  const dialect = upstream.id === "own" ? {} : { dialect: upstream.id };
  const requested = { model, stream, ...dialect };
  const forward = upstream.id === call.client.id ? forwardedTo(channel.provider, call.forward) : {};
  const shape = shapeOf(channel, { ...requested, betas: betasIn(forward) });
  const { body, dropped } = encodeBody(call, target, upstream, shape, settings);
  const origin = proofOrigin(channel.provider, model);
  return {
    request: {
      method: "POST",
      path: upstream.path(requested),
      ...requested,
      headers: {
        "content-type": "application/json",
        accept: stream ? "text/event-stream" : "application/json",
        ...forward,
      },
      body,
      ...carrierOf(call, target, upstream),
      ...(call.estimate === undefined ? {} : { maxBytes: answerBytes({ ...call, estimate: call.estimate }) }),
    },
    decodeError: upstream.decodeError,
    upstream,
    mender: menderFor(call, upstream, channel, origin),
    origin,
    dropped,
  };
}

function menderFor(
  { client }: EncodableChat,
  { id }: Upstream,
  { provider, baseUrl }: Target["channel"],
  origin: string | undefined,
): AnswerMender | undefined {
  if (id === "own") return undefined;
  const isExact = provider.exact === true && (baseUrl === "" || baseUrl === provider.baseUrl);
  const mender = isExact ? undefined : provider.mends?.[id]?.();
  return id === client.id ? bothMenders(mender, markProofs(id, origin)) : mender;
}

/** Returns the WebSocket to use for a call that arrived over one, where the provider supports it. */
function carrierOf(
  { sockets, continued, request }: EncodableChat,
  target: Target,
  upstream: Upstream,
): Pick<ToProvider, "carrier"> {
  const { channel } = target;
  const isSupported = channel.provider.responsesWebSocket === true && channel.responsesWebSocket;
  if (sockets === undefined || !isSupported || !request.stream || upstream.id !== "openai-responses")
    return {};
  return { carrier: (sent) => sockets.send(target, sent, continued) };
}
