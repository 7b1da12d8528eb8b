import type { Answer } from "./answer.ts";
import type { Json } from "./json.ts";
import type { Question } from "./question.ts";

/** What the address says about a chat call, for the wire that keeps model and stream out of the body. */
export interface Target {
  model: string;
  stream: boolean;
  /** False for a stream that is one JSON array. */
  sse: boolean;
}

/** Text ready for the socket. A piece carries a part of the answer; switches count pieces. */
export interface Frame {
  text: string;
  piece: boolean;
}

/** One wire on which a chat comes in and its answer goes out. */
export interface ChatWire {
  /** Throws `BadQuestion` for what this provider would refuse. */
  read(body: Json, target: Target): Question;
  plain(question: Question, answer: Answer): Json;
  /** The whole stream, made as it is read. */
  frames(question: Question, answer: Answer): Iterable<Frame>;
}

/** A server-sent event; without a name it is data only. */
export function event(data: Json, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
