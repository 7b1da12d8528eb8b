/**
 * Conversations by `previous_response_id`. A response stays with the channel and key that created it. If its
 * provider stores nothing, the conversation is stored here.
 */
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, Message } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { storable } from "#dialects/storable.ts";
import { parseAt } from "#dialects/wire.ts";
import { type StoredResponse, type StoredTurn, findResponse } from "#domain/responses/stored.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { notFound } from "#errors.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import type { PricedTarget } from "#relay/core/call.ts";
import { dialectFor } from "#relay/core/upstream/send.ts";
import { storeResponse } from "./store-response.ts";

/** Maximum tokens of a conversation; larger counts are implausible. */
const LONGEST_CONVERSATION = 2_000_000;

type Turn = Pick<ChatCall, "request" | "rewritten" | "earlierTokens" | "pin" | "finished">;

const Requested = z.object({
  previous_response_id: z.string().max(128).nullish(),
  store: z.boolean().nullish(),
});

export async function recall(
  services: GatewayServices,
  caller: Caller,
  body: Wire,
  request: ChatRequest,
  pin: Pin | undefined,
): Promise<Turn> {
  const requested = parseAt(Requested, body, "");
  requireStorable(requested.previous_response_id, "previous_response_id");
  const previous =
    typeof requested.previous_response_id === "string"
      ? await findResponse(services.db, requested.previous_response_id, caller.userId)
      : undefined;
  if (previous === null)
    throw notFound(
      { reason: "previous_response_not_found", id: String(requested.previous_response_id) },
      { status: 400, param: "previous_response_id" },
    );
  const turn = previous === undefined ? { request, pin } : goOn(request, pin, previous);
  if (requested.store === false) return turn;
  return { ...turn, finished: (end, chosen) => remember(services, caller, turn.request, end, chosen) };
}

function goOn(request: ChatRequest, pin: Pin | undefined, previous: StoredResponse): Turn {
  if (previous.turn === null) {
    const home = { channel: previous.channelId, key: previous.keyId ?? undefined };
    return { request, earlierTokens: previous.tokens, pin: { ...pin, home } };
  }
  const messages = messagesAfter(previous.turn, request.messages);
  const { previous_response_id: _previous, ...fields } = request.extra?.fields ?? {};
  const extra = request.extra === undefined ? undefined : { ...request.extra, fields };
  return { request: { ...request, messages, extra }, rewritten: true, pin };
}

const isInstruction = ({ role }: Message) => role === "system" || role === "developer";

/** Returns the messages of a call after those of an earlier turn. Instructions of the call stay first. */
export function messagesAfter(earlier: StoredTurn, messages: readonly Message[]): Message[] {
  return [
    ...messages.filter(isInstruction),
    ...earlier.messages.filter((message) => !isInstruction(message)),
    ...messages.filter((message) => !isInstruction(message)),
  ];
}

function remember(
  services: GatewayServices,
  caller: Caller,
  request: ChatRequest,
  end: string,
  chosen: PricedTarget,
): Promise<void> {
  return storeResponse(services, caller, chosen, () => {
    const response = storable(responseIn(end));
    if (response === undefined) return undefined;
    const isNative =
      dialectFor(chosen.channel, "openai-responses", chosen.upstreamModel) === "openai-responses";
    const turn = isNative
      ? null
      : { messages: storable([...request.messages, ...answerIn(response)]), response };
    const tokens = tokensIn(response);
    return { kind: "response", id: String(response["id"]), model: request.model, tokens, turn };
  });
}

/**
 * Returns the tokens of the conversation including this response; 0 when the provider does not report them.
 */
function tokensIn(response: Wire): number {
  const { usage } = dialects["openai-responses"].decodeResponse(response);
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0);
  return Number.isSafeInteger(tokens) && tokens > 0 ? Math.min(tokens, LONGEST_CONVERSATION) : 0;
}

function answerIn(response: Wire): Message[] {
  const { choices } = dialects["openai-responses"].decodeResponse(response);
  return choices.map((choice) => ({ role: "assistant", parts: choice.parts }));
}

/** Returns the response object of a body, or of the event that completes a stream. */
export function responseIn(end: string): Wire | undefined {
  if (end.startsWith("{")) return parseSmall(end) as Wire | undefined;
  for (const line of end.split("\n")) {
    if (!line.startsWith("data:") || !line.includes('"response"')) continue;
    const event = parseSmall(line.slice(5)) as { response?: Wire } | undefined;
    if (event?.response !== undefined) return event.response;
  }
  return undefined;
}
