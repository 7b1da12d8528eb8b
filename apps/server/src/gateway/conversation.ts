import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, Message } from "#dialects/ir.ts";
import { storable } from "#dialects/storable.ts";
import { parseAt } from "#dialects/wire.ts";
import { findResponse, rememberResponse, type StoredResponse } from "#domain/responses/stored.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { notFound } from "#errors.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import type { Chosen } from "#relay/core/call.ts";
import { dialectFor } from "#relay/core/spoken-dialect.ts";
import { requireStorable } from "./body/storable.ts";
import type { GatewayServices } from "./services.ts";

/**
 * Conversations over `previous_response_id`: an answer stays with the channel and key that made it, or, at a provider
 * that keeps nothing, its conversation stays here.
 */

/** Tokens; a count beyond it is not believed. */
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
  // What is said now comes after what was said; instructions of this call stay in front.
  const isInstruction = (message: Message) => message.role === "system" || message.role === "developer";
  const messages = [
    ...request.messages.filter(isInstruction),
    ...previous.turn.messages.filter((message) => !isInstruction(message)),
    ...request.messages.filter((message) => !isInstruction(message)),
  ];
  const { previous_response_id: _previous, ...fields } = request.extra?.fields ?? {};
  const extra = request.extra === undefined ? undefined : { ...request.extra, fields };
  return { request: { ...request, messages, extra }, rewritten: true, pin };
}

/** Never fails the call: what cannot be kept is only not there later. */
async function remember(
  services: GatewayServices,
  caller: Caller,
  request: ChatRequest,
  end: string,
  chosen: Chosen,
): Promise<void> {
  try {
    const response = storable(responseIn(end));
    if (response === undefined) return;
    const native =
      dialectFor(chosen.channel, "openai-responses", chosen.upstreamModel) === "openai-responses";
    await rememberResponse(services.db, {
      id: String(response["id"]),
      userId: caller.userId,
      tokenId: caller.tokenId,
      channelId: chosen.channel.id,
      keyId: chosen.key?.id ?? null,
      model: request.model,
      tokens: tokensIn(response),
      turn: native ? null : { messages: storable([...request.messages, ...answerIn(response)]), response },
    });
  } catch (error) {
    services.relay.onError(error);
  }
}

/** How long the conversation is with this answer; 0 when the provider does not report it. */
function tokensIn(response: Wire): number {
  const { usage } = dialects["openai-responses"].decodeResponse(response);
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0);
  return Number.isSafeInteger(tokens) && tokens > 0 ? Math.min(tokens, LONGEST_CONVERSATION) : 0;
}

function answerIn(response: Wire): Message[] {
  const { choices } = dialects["openai-responses"].decodeResponse(response);
  return choices.map((choice) => ({ role: "assistant", parts: choice.parts }));
}

/** The response object in a body, or in the event that completes a stream. */
export function responseIn(end: string): Wire | undefined {
  if (end.startsWith("{")) return JSON.parse(end) as Wire;
  for (const line of end.split("\n")) {
    if (!line.startsWith("data:") || !line.includes('"response"')) continue;
    const event = JSON.parse(line.slice(5)) as { response?: Wire };
    if (event.response !== undefined) return event.response;
  }
  return undefined;
}
