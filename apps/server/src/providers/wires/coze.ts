/**
 * Coze's own chat API: bots that have their own tools and instructions, not models. A response without
 * streaming would have to be polled, so its stream is read to the end instead.
 */
import { z } from "zod";
import type { Frame, StreamDecoder, ProviderWire, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  Message,
  Part,
  UpstreamError,
  Usage,
} from "#dialects/ir.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { tokens, usageOf } from "#dialects/usage/tokens.ts";
import { compact, parseRecord, readAs } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { droppedFields } from "./dropped-fields.ts";

function pieceOf(part: Part): Wire | undefined {
  if (part.type === "text" || part.type === "refusal") return { type: "text", text: part.text };
  if (part.type === "image" && part.source.type === "url")
    return { type: "image", file_url: part.source.url };
  if (part.type === "file" && part.source.type === "url") return { type: "file", file_url: part.source.url };
  return undefined;
}

/**
 * Encodes a message as plain text, or as a list of pieces in JSON text. A bot has no system role, so
 * instructions are sent as a user message.
 */
function encodeMessage(message: Message, dropped: Set<string>): Wire[] {
  const pieces: Wire[] = [];
  for (const part of message.parts) {
    const piece = pieceOf(part);
    if (piece !== undefined) pieces.push(piece);
    else if (part.type !== "reasoning") dropped.add(part.type);
  }
  if (pieces.length === 0) return [];
  const output =
    message.role === "assistant" ? { role: "assistant", type: "answer" } : { role: "user", type: "question" };
  if (pieces.every((piece) => piece["type"] === "text"))
    return [{ ...output, content_type: "text", content: pieces.map((piece) => piece["text"]).join("\n") }];
  return [{ ...output, content_type: "object_string", content: JSON.stringify(pieces) }];
}

function encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] } {
  const dropped = new Set<string>();
  const messages = request.messages.flatMap((message) => encodeMessage(message, dropped));
  if (messages.length === 0) throw invalidRequest({ reason: "no_content_for_bot" }, { param: "messages" });
  const more = [
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
  ] as const;
  for (const field of droppedFields(request, more)) dropped.add(field);
  const body = {
    bot_id: request.model.replace(/^coze-/, ""),
    user_id: request.user ?? "gateway",
    additional_messages: messages,
    stream: true,
    auto_save_history: false,
  };
  return { body, dropped: [...dropped] };
}

const trouble = z.looseObject({ code: z.number().nullish(), msg: z.string().nullish() });

const streamed = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  created_at: z.number().nullish(),
  usage: z.looseObject({ input_count: z.number().nullish(), output_count: z.number().nullish() }).nullish(),
  last_error: trouble.nullish(),
});
type CozeEvent = z.infer<typeof streamed>;

function decodeUsage({ usage }: CozeEvent): Usage | undefined {
  if (!usage) return undefined;
  const [input, output] = [tokens(usage.input_count), tokens(usage.output_count)];
  // A bot that did not count tokens reports zeros.
  return input === 0 && output === 0 ? undefined : usageOf({ input, output, raw: usage });
}

function faultOf(value: unknown, status: number): UpstreamError {
  const { code, msg } = readAs(trouble, value) ?? {};
  const known = status >= 400 ? status : 0;
  const error = {
    message: msg ?? undefined,
    code: code === undefined || code === null ? undefined : String(code),
  };
  return dialects["openai-chat"].decodeError(known, JSON.stringify({ error }), {});
}

const choice = 0;

function decodeStream(): StreamDecoder {
  let thought = false;

  function output({ type, content, reasoning_content: reasoning }: CozeEvent): ChatEvent[] {
    if (type !== "answer") return [];
    if (reasoning) {
      thought = true;
      return [{ type: "reasoning", choice, part: 0, text: reasoning }];
    }
    if (!content) return [];
    return [{ type: "text", choice, part: thought ? 1 : 0, text: content }];
  }

  function decode(name: string | undefined, wire: CozeEvent): ChatEvent[] {
    switch (name) {
      case "conversation.chat.created": {
        const created = wire.created_at ?? undefined;
        return [{ type: "start", id: wire.id ?? "", model: "", ...(created !== undefined && { created }) }];
      }
      case "conversation.message.delta":
        return output(wire);
      case "conversation.chat.completed":
        return [
          { type: "stop", choice, reason: "stop", raw: "completed" },
          compact<ChatEvent>({ type: "finish", usage: decodeUsage(wire) }),
        ];
      case "conversation.chat.failed":
        return [{ type: "error", error: faultOf(wire.last_error, 0) }];
      case "conversation.chat.requires_action":
        return [
          {
            type: "error",
            error: {
              kind: "server",
              message: "The bot waits for a tool that only its own client has.",
              status: 0,
            },
          },
        ];
      default:
        return [];
    }
  }

  return inOrder({
    frame({ event, data }: Frame) {
      const whole = parseRecord(data);
      if (event === "error") return [{ type: "error", error: faultOf(whole, 0) }];
      const wire = readAs(streamed, whole);
      return wire === undefined ? [] : decode(event, wire);
    },
    end: () => [],
  });
}

/** Returns the frames of a text that is an event stream; none for any other text. */
function framesIn(text: string): Frame[] {
  const splitter = createFrameSplitter();
  return [...splitter.push(Buffer.from(text)), ...splitter.flush()].map(({ frame }) => frame);
}

function eventsIn(text: string): ChatEvent[] {
  const decoder = decodeStream();
  return [...framesIn(text).flatMap((frame) => decoder.frame(frame)), ...decoder.end()];
}

/** Builds a complete response from its events. */
function decodeResponse(events: unknown): ChatResponse {
  const list = Array.isArray(events) ? (events as ChatEvent[]) : [];
  const failed = list.some((event) => event.type === "error");
  const textOf = (type: "text" | "reasoning") =>
    list.map((event) => (event.type === type ? event.text : "")).join("");
  const parts: Part[] = [];
  if (!failed) {
    const [reasoning, text] = [textOf("reasoning"), textOf("text")];
    if (reasoning !== "") parts.push({ type: "reasoning", text: reasoning });
    if (text !== "") parts.push({ type: "text", text });
  }
  const start = list.find((event) => event.type === "start");
  const finish = list.find((event) => event.type === "finish");
  return compact<ChatResponse>({
    id: start?.id ?? "",
    model: "",
    created: start?.created,
    choices: [{ index: 0, parts, finish: "stop" }],
    usage: failed ? undefined : finish?.usage,
  });
}

export const cozeChat: ProviderWire = {
  id: "own",
  path: () => "/v3/chat",
  encodeRequest,
  takesAddress: (part) => part.type !== "audio",
  read: eventsIn,
  decodeResponse,
  decodeStream,
  decodeError(status, body) {
    const whole = parseRecord(body);
    if (whole !== undefined) return faultOf(whole, status);
    const failed =
      framesIn(body).length === 0 ? undefined : eventsIn(body).find((event) => event.type === "error");
    return failed?.error ?? faultOf(undefined, status);
  },
  isLast: ({ event }) => event === "conversation.chat.completed",
};
