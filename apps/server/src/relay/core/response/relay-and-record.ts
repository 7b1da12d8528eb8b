import type { CallBodies } from "#domain/logs/bodies.ts";
import type { Answer, AnswerListener, ReceivedCall } from "#relay/core/call.ts";
import { type Exchange, relay } from "#relay/core/exchange.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { EncodedRequest } from "#relay/core/upstream/ask.ts";
import { tapPieces } from "./pieces.ts";
import { openResponseCache } from "./response-cache.ts";
import { tapText } from "./text-stream.ts";

/** Relays a call, and records its bodies and its response where its token, its channel or its trace wants them. */
export async function relayAndRecord<Sent extends EncodedRequest, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  exchange: Exchange<Answer, Sent, Received>,
): Promise<Answer> {
  const recorder = openBodyRecorder(services, received);
  const listener = received.trace?.listen();
  try {
    const answer = await relayWithCache<Sent, Received>(services, received, {
      ...exchange,
      encode(routed) {
        const sent = exchange.encode(routed);
        recorder.setChannel(routed.target.channel);
        return sent;
      },
    });
    return recorder.record(listener === undefined ? answer : withListener(answer, listener));
  } catch (error) {
    listener?.ended();
    recorder.recordFailure();
    throw error;
  }
}

async function relayWithCache<Sent extends EncodedRequest, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  exchange: Exchange<Answer, Sent, Received>,
): Promise<Answer> {
  const cache = received.caller.setting.cache.enabled ? openResponseCache(services, received) : undefined;
  if (cache === undefined) return relay<Answer, Sent, Received>(services, received, exchange);
  const cached = await cache.answer();
  if (cached !== undefined) return cached;
  const call = { ...received, billed: cache.billed };
  return cache.keep(await relay<Answer, Sent, Received>(services, call, exchange));
}

/**
 * Logs the bodies of a call where its token or its channel has this enabled. Never delays the call. A call that
 * was refused before it reached a provider costs nothing, so its bodies are not stored.
 */
interface BodyRecorder {
  /** Sets the channel of an attempt. */
  setChannel(channel: { logBodies: boolean }): void;
  /** Returns the response to use instead of the given one. */
  record(answer: Answer): Answer;
  recordFailure(): void;
}

function openBodyRecorder(services: RelayServices, call: ReceivedCall): BodyRecorder {
  const { raw } = call;
  const byToken = call.caller.setting.log_bodies;
  let isWanted = byToken;
  let wasSent = false;

  function keep(response: string, responseBytes: number): void {
    const most = longest(services);
    const bodies: CallBodies = {
      requestId: call.requestId,
      createdAt: new Date(call.startedAt),
      userId: call.caller.userId,
      byToken,
      request: raw?.toString("utf8", 0, most) ?? "",
      requestBytes: raw?.length ?? 0,
      response: response.slice(0, most),
      responseBytes,
    };
    services.bodies.keep(bodies);
  }

  return {
    setChannel(channel) {
      isWanted ||= channel.logBodies;
      wasSent = true;
    },
    record(answer) {
      if (!isWanted) return answer;
      switch (answer.kind) {
        case "body":
          keep(answer.body, Buffer.byteLength(answer.body));
          return answer;
        case "stream":
          return { ...answer, stream: tapText(answer.stream, recordText(longest(services), keep)) };
        case "bytes": {
          const tap = recordText(isReadable(answer.headers) ? longest(services) : 0, keep);
          return { ...answer, chunks: tapPieces<Buffer>(answer.chunks, tap) };
        }
      }
    },
    recordFailure() {
      if (isWanted && wasSent) keep("", 0);
    },
  };
}

/** Returns the response, whose text the listener receives. */
function withListener(answer: Answer, listener: AnswerListener): Answer {
  switch (answer.kind) {
    case "body":
      listener.piece(answer.body);
      listener.ended();
      return answer;
    case "stream":
      return { ...answer, stream: tapText(answer.stream, tapOf(listener)) };
    case "bytes":
      if (!isReadable(answer.headers)) {
        listener.ended();
        return answer;
      }
      return { ...answer, chunks: tapPieces<Buffer>(answer.chunks, tapOf(listener)) };
  }
}

function tapOf(listener: AnswerListener) {
  return {
    piece<Piece extends string | Buffer>(piece: Piece): Piece {
      listener.piece(piece.toString());
      return piece;
    },
    ended: () => listener.ended(),
  };
}

function isReadable(headers: Readonly<Record<string, string>>): boolean {
  return /^(text\/|application\/json)/.test(headers["content-type"] ?? "");
}

function longest(services: RelayServices): number {
  return services.settings.current().BodyKilobytes * 1_024;
}

/** Collects as much of the response's text as may be kept. Calls `done` with it at the end, or when it is left. */
function recordText(most: number, done: (text: string, bytes: number) => void) {
  let text = "";
  let bytes = 0;
  // A character may be split between two pieces.
  const decoder = new TextDecoder();
  return {
    piece<Piece extends string | Buffer>(piece: Piece): Piece {
      bytes += Buffer.byteLength(piece);
      if (text.length < most)
        text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
      return piece;
    },
    ended: () => done(text, bytes),
  };
}
