/** One response per wire format, created once, for callers that measure the overhead of the gateway. */
import type { Reply } from "#exchange.ts";
import type { ChatWire } from "#formats/chat-wire.ts";
import type { Route } from "#routes.ts";
import { answer } from "./answer.ts";
import type { Question } from "./question.ts";

const PIECES = 64;
const question: Question & { includeUsage: boolean; sse: boolean; encrypted: boolean; echo: object } = {
  model: "demo-chat",
  stream: false,
  prompt: "",
  turns: 1,
  images: 0,
  audios: 0,
  files: 0,
  toolResults: [],
  tools: [],
  toolChoice: "none",
  parallelTools: false,
  json: false,
  thinks: false,
  answers: 1,
  maxOutput: undefined,
  stop: [],
  input: 16,
  // Fields that single wire formats add to a question.
  includeUsage: true,
  sse: true,
  encrypted: false,
  echo: {},
};

interface Ready {
  plain: Reply;
  stream: Reply;
}

const ready = new Map<ChatWire, Ready>();

function make(wire: ChatWire): Ready {
  const made = answer(question, { length: PIECES });
  const frames = [...wire.frames(question, made)].map((frame) => frame.text).join("");
  return {
    plain: { type: "application/json", body: Buffer.from(JSON.stringify(wire.plain(question, made))) },
    stream: { type: "text/event-stream", body: Buffer.from(frames) },
  };
}

/** Returns the prepared response. Only checks the body for `"stream":true`. */
export function fastReply(route: Extract<Route, { kind: "chat" }>, bytes: Buffer): Reply {
  let replies = ready.get(route.wire);
  if (replies === undefined) ready.set(route.wire, (replies = make(route.wire)));
  const streamed = route.target.stream || bytes.includes('"stream":true') || bytes.includes('"stream": true');
  return streamed ? replies.stream : replies.plain;
}
