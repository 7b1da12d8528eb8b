import { z } from "zod";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, ChatResponse } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { storable } from "#dialects/storable.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import { parseAt } from "#dialects/wire.ts";
import { findResponse, type StoredTurn } from "#domain/responses/stored.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { invalidRequest, notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { withBody } from "#gateway/body/decode-body.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import { type ReadTurn, type DecodedChat, turnOf } from "#gateway/chat/chat.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { Answer } from "#relay/core/call.ts";
import { tapText } from "#relay/core/response/text-stream.ts";
import { storeResponse } from "./store-response.ts";

/**
 * Message threads of Anthropic's client library: `thread` makes a request continue from an earlier response, so that it
 * contains only new messages. Conversations are stored here, whatever the provider, and providers receive whole
 * conversations. The error codes make the library send the whole conversation instead.
 * `@anthropic-ai/sdk` 1.14.0, lib/threads, read 2026-11-28.
 */
const Thread = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("create") }),
  z.looseObject({ type: z.literal("continue"), previous_message_id: z.string().min(1).max(128) }),
]);

/** Fields that change the conversation, so that the stored one would differ from the one that the model read. */
const uncombinable = ["context_management", "compaction", "fallbacks"] as const;
/** Fields that a thread keeps from its first request. */
const keptFields = ["system", "tools"] as const;
/** Characters of a response that are collected; a longer one is not stored. */
const MAX_RESPONSE = 8 * 1024 * 1024;

const anthropic: Dialect = dialects.anthropic;
const isSet = (value: unknown) => value !== undefined && value !== null;

/** Returns the reader of the Messages dialect. A request without `thread` is self-contained. */
export function readThreadTurn(services: GatewayServices, client: Dialect): ReadTurn {
  return async (request, select) => {
    const json = jsonBody(request);
    const { thread: given, ...rest } = json.body;
    if (given === undefined) return turnOf(client, json, request, select);
    const { caller } = accessOf(request);
    const thread = given === null ? undefined : parseAt(Thread, given, "thread");
    if (thread !== undefined) requireThreadable(rest);
    const earlier =
      thread?.type === "continue"
        ? await findThread(services, caller, thread.previous_message_id, rest)
        : undefined;
    const read = turnOf(client, withBody(json, rest), request, select);
    if (thread === undefined) return read;
    const chat = read.turn.request;
    const turn = earlier === undefined ? read.turn : { ...read.turn, ...after(earlier, chat) };
    return { ...read, ...storing(services, caller, turn) };
  };
}

/** Throws `invalid_request` for fields that cannot be combined with a thread. */
function requireThreadable(body: Wire): void {
  const field = uncombinable.find((name) => isSet(body[name]));
  if (field === undefined) return;
  const unsupported = [field === "compaction" ? "context_management" : field];
  throw invalidRequest(
    { reason: "thread_unsupported", field },
    { param: "thread", details: { error_code: "thread_unsupported_request", unsupported } },
  );
}

async function findThread(
  { db }: GatewayServices,
  { userId }: Caller,
  id: string,
  body: Wire,
): Promise<StoredTurn> {
  const field = keptFields.find((name) => isSet(body[name]));
  if (field !== undefined)
    throw invalidRequest(
      { reason: "thread_fields" },
      { param: field, details: { error_code: "thread_fingerprint_mismatch" } },
    );
  requireStorable(id, "thread.previous_message_id");
  const row = await findResponse(db, id, userId, "thread");
  const { messages } = body;
  // An unfinished response can only be continued by the provider that paused it.
  const isEmpty = Array.isArray(messages) && messages.length === 0;
  if (row === null || row.turn === null || isEmpty)
    throw notFound(
      { reason: "thread_not_found", id },
      { param: "thread.previous_message_id", details: { error_code: "thread_not_found" } },
    );
  return row.turn;
}

/** Returns the call with the earlier conversation and its tools. */
function after(earlier: StoredTurn, request: ChatRequest): Partial<DecodedChat["turn"]> {
  const tools = [...(earlier.tools ?? []), ...(request.tools ?? [])];
  const serverTools = [...(earlier.serverTools ?? []), ...(request.serverTools ?? [])];
  return {
    request: {
      ...request,
      messages: [...earlier.messages, ...request.messages],
      ...(tools.length > 0 && { tools }),
      ...(serverTools.length > 0 && { serverTools }),
    },
    rewritten: true,
    // The same messages after another response are another call.
    stateful: true,
  };
}

/** Stores the conversation under the id of the response. What cannot be stored is only missing later. */
function storing(
  services: GatewayServices,
  caller: Caller,
  turn: DecodedChat["turn"],
): Pick<DecodedChat, "turn" | "answered"> {
  const { request } = turn;
  const stream = createResponseCollector();
  return {
    turn: {
      ...turn,
      finished: (end, chosen) =>
        storeResponse(services, caller, chosen, () => {
          const response = end.startsWith("{") ? readBody(end) : stream.whole(end);
          const [choice] = response?.choices ?? [];
          if (response === undefined || response.id === "" || choice === undefined) return undefined;
          const { messages, tools, serverTools } = request;
          const turn = storable({
            messages: [...messages, { role: "assistant" as const, parts: choice.parts }],
            response: {},
            ...(tools && { tools }),
            ...(serverTools && { serverTools }),
          });
          return { kind: "thread", id: response.id, model: request.model, turn };
        }),
    },
    answered: async (answer: Promise<Answer>) => {
      const made = await answer;
      if (made.kind !== "stream") return made;
      return { ...made, stream: tapText(made.stream, { piece: (text) => stream.piece(text) }) };
    },
  };
}

function readBody(body: string): ChatResponse | undefined {
  const wire = parseSmall(body);
  return wire === undefined ? undefined : anthropic.decodeResponse(wire);
}

/** Collects a streamed response while its text passes. */
function createResponseCollector() {
  const decoder = anthropic.decodeStream();
  const splitter = createFrameSplitter();
  const collector = createCollector();
  let characters = 0;

  function piece(text: string): string {
    characters += text.length;
    if (characters <= MAX_RESPONSE)
      for (const { frame } of splitter.push(Buffer.from(text)))
        for (const event of decoder.frame(frame)) collector.add(event);
    return text;
  }

  return {
    piece,
    /** Returns the response after its last text; undefined for one that is too long or failed. */
    whole(end: string): ChatResponse | undefined {
      piece(end);
      const { answer } = collector;
      return characters > MAX_RESPONSE || answer === undefined || "error" in answer ? undefined : answer;
    },
  };
}
