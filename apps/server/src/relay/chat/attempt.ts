import type { Settings } from "@gateway/shared/site/settings";
import type { AnswerMender, Upstream } from "#dialects/dialect.ts";
import type { Encoded, Target } from "#relay/core/ask.ts";
import { answerBytes } from "#relay/core/excess.ts";
import { shapeOf, type ToProvider } from "#relay/core/send.ts";
import { upstreamFor } from "#relay/core/spoken-dialect.ts";
import type { ChatCall } from "./chat-call.ts";
import { encodeBody } from "./outgoing-body.ts";

/** A chat call, encoded for one target. */
export interface EncodedChat extends Encoded {
  upstream: Upstream;
  /**
   * Set only where the response would otherwise pass unchanged and the provider deviates from the dialect.
   */
  mender: AnswerMender | undefined;
  /** Fields of the request that the target's format cannot express. */
  dropped: string[];
}

/** Input of the encoding. A channel test has no more fields than these. */
export type Tried = Pick<
  ChatCall,
  "client" | "body" | "raw" | "request" | "forward" | "rewritten" | "fetched"
> &
  Partial<Pick<ChatCall, "estimate" | "sockets" | "continued">>;

/** Encodes a call for a target. Pure. */
export function encodeChat(call: Tried, target: Target, settings: Settings): EncodedChat {
  const { channel, upstreamModel: model } = target;
  const upstream = upstreamFor(channel, call.client.id, model, call.request);
  const { stream } = call.request;
  const dialect = upstream.id === "own" ? {} : { dialect: upstream.id };
  const requested = { model, stream, ...dialect };
  const { body, dropped } = encodeBody(call, target, upstream, shapeOf(channel, requested), settings);
  const mends = upstream.id === call.client.id ? channel.provider.mends?.[upstream.id] : undefined;
  return {
    request: {
      method: "POST",
      path: upstream.path(requested),
      ...requested,
      headers: {
        "content-type": "application/json",
        accept: stream ? "text/event-stream" : "application/json",
        ...(upstream.id === call.client.id ? call.forward : {}),
      },
      body,
      ...carrierOf(call, target, upstream),
      ...(call.estimate === undefined ? {} : { maxBytes: answerBytes({ ...call, estimate: call.estimate }) }),
    },
    decodeError: upstream.decodeError,
    upstream,
    mender: mends?.(),
    dropped,
  };
}

/** Returns the WebSocket to use for a call that arrived over one, where the provider supports it. */
function carrierOf(
  { sockets, continued, request }: Tried,
  target: Target,
  upstream: Upstream,
): Pick<ToProvider, "carrier"> {
  const { channel } = target;
  const isSupported = channel.provider.responsesWebSocket === true && channel.responsesWebSocket;
  if (sockets === undefined || !isSupported || !request.stream || upstream.id !== "openai-responses")
    return {};
  return { carrier: (sent) => sockets.send(target, sent, continued) };
}
