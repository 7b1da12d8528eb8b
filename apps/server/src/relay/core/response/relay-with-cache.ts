import type { CallBodies } from "#domain/logs/bodies.ts";
import type { Answer, AnswerListener, ReceivedCall } from "#relay/core/call.ts";
import { type Exchange, relay } from "#relay/core/exchange.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { EncodedRequest } from "#relay/core/upstream/ask.ts";
import { tapPieces } from "./pieces.ts";
import { openResponseCache } from "./response-cache.ts";
import { tapText } from "./text-stream.ts";

/**
 * Relays a call whose bodies may be logged and whose response may be cached.
 * @param check throws for a call that must be rejected before any lookup or reservation
 */
export async function relayWithCache<Sent extends EncodedRequest, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  exchange: Exchange<Answer, Sent, Received>,
  check?: () => void,
): Promise<Answer> {
  const cache = received.caller.setting.cache.enabled ? openResponseCache(services, received) : undefined;
  const keeper = openKeeper(services, received);
  const call = cache === undefined ? received : { ...received, billed: cache.billed };
  try {
    check?.();
    const known = await cache?.answer();
    if (known !== undefined) return keeper.answered(known);
    const answer = await relay<Answer, Sent, Received>(services, call, {
      ...exchange,
      encode(routed) {
        const sent = exchange.encode(routed);
        keeper.noteChannel(routed.target.channel);
        return sent;
      },
    });
    return keeper.answered(cache?.keep(answer) ?? answer);
  } catch (error) {
    keeper.failed();
    throw error;
  }
}

/**
 * Logs the bodies of a call where its token or its channel has this enabled. Never delays the call. A call that
 * was refused before it reached a provider costs nothing, so its bodies are not stored.
 */
interface BodyKeeper {
  /** Sets the channel of an attempt. */
  noteChannel(channel: { logBodies: boolean }): void;
  /** Returns the response to use instead of the given one. */
  answered(answer: Answer): Answer;
  failed(): void;
}

function openKeeper(services: RelayServices, call: ReceivedCall): BodyKeeper {
  const { raw } = call;
  const byToken = call.caller.setting.log_bodies;
  const listener = call.trace?.listen();
  let wanted = byToken;
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
    noteChannel(channel) {
      wanted ||= channel.logBodies;
      wasSent = true;
    },
    answered(given) {
      const answer = listener === undefined ? given : withListener(given, listener);
      if (!wanted) return answer;
      switch (answer.kind) {
        case "body":
          keep(answer.body, Buffer.byteLength(answer.body));
          return answer;
        case "stream":
          return { ...answer, stream: tapText(answer.stream, recordText(longest(services), keep)) };
        case "bytes": {
          const readable = isReadable(answer.headers);
          const tap = recordText(readable ? longest(services) : 0, keep);
          return { ...answer, chunks: tapPieces<Buffer>(answer.chunks, tap) };
        }
      }
    },
    failed() {
      listener?.ended();
      if (wanted && wasSent) keep("", 0);
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
      return {
        ...answer,
        stream: tapText(
          answer.stream,
          tapOf(listener, (text: string) => text),
        ),
      };
    case "bytes":
      if (!isReadable(answer.headers)) {
        listener.ended();
        return answer;
      }
      return {
        ...answer,
        chunks: tapPieces(
          answer.chunks,
          tapOf(listener, (chunk: Buffer) => chunk.toString()),
        ),
      };
  }
}

function tapOf<Piece>(listener: AnswerListener, textOf: (piece: Piece) => string) {
  return {
    piece(piece: Piece) {
      listener.piece(textOf(piece));
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
