import type { Answer } from "#answer/answer.ts";
import type { Json } from "#answer/json.ts";
import type { Question } from "#answer/question.ts";

/**
 * Parameters of a chat call in its address, for the wire format that has model and stream outside the body.
 */
export interface Target {
  model: string;
  stream: boolean;
  /** False for a stream that is one JSON array. */
  sse: boolean;
}

/** Text ready for the socket. `piece` marks frames that carry a part of the answer; switches count them. */
export interface Frame {
  text: string;
  piece: boolean;
}

/** A wire format for chat requests and responses. */
export interface ChatWire {
  /** Reads a request. Throws `BadQuestion` for requests that this provider would reject. */
  read(body: Json, target: Target): Question;
  plain(question: Question, answer: Answer): Json;
  /** Yields the whole stream, created lazily. */
  frames(question: Question, answer: Answer): Iterable<Frame>;
}

/** Returns a server-sent event; without a name it contains data only. */
export function event(data: Json, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
