import type { ClientDialect, Wire } from "#dialects/dialect.ts";
import { decodeInput } from "#dialects/interactions/decode-steps.ts";
import type { ChatRequest, Message } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { storable } from "#dialects/storable.ts";
import { asRecord } from "#dialects/wire.ts";
import { findResponse } from "#domain/responses/stored.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import { type ReadTurn, readTurn, type DecodedChat } from "#gateway/chat/chat.ts";
import { messagesAfter } from "#gateway/conversation/conversation.ts";
import { storeResponse } from "#gateway/conversation/store-response.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { PricedTarget } from "#relay/core/call.ts";

/**
 * Interactions that continue an earlier one by `previous_interaction_id`. All are stored here, whatever the provider: no
 * provider is called in this format.
 */
export function readInteractionTurn(services: GatewayServices, client: ClientDialect): ReadTurn {
  const read = readTurn(client);
  return async (request, select) => {
    const { caller } = accessOf(request);
    const given = await read(request, select);
    const { turn, continues } = await recall(services, caller, given);
    if (given.body["store"] === false) return { ...given, turn };
    const own = given.turn.request.messages.filter(({ role }) => role !== "system").length;
    return {
      ...given,
      turn: {
        ...turn,
        // The same request after another interaction is another call.
        ...(continues && { stateful: true }),
        finished: (end, chosen) => remember(services, caller, { request: turn.request, own, end, chosen }),
      },
    };
  };
}

/** Returns the call with the earlier conversation. Throws `not_found` for one of another account. */
async function recall(
  { db }: GatewayServices,
  caller: Caller,
  { body, turn }: DecodedChat,
): Promise<{ turn: DecodedChat["turn"]; continues: boolean }> {
  const id = body["previous_interaction_id"];
  if (typeof id !== "string" || id === "") return { turn, continues: false };
  const param = "previous_interaction_id";
  requireStorable(id, param);
  const previous = await findResponse(db, id, caller.userId, "interaction");
  const earlier = previous?.turn ?? undefined;
  if (earlier === undefined)
    throw notFound({ reason: "previous_interaction_not_found", id }, { status: 404, param });
  const request: ChatRequest = { ...turn.request, messages: messagesAfter(earlier, turn.request.messages) };
  return { turn: { ...turn, request, rewritten: true }, continues: true };
}

interface FinishedTurn {
  request: ChatRequest;
  /** Number of messages that this call has added. */
  own: number;
  end: string;
  chosen: PricedTarget;
}

function remember(
  services: GatewayServices,
  caller: Caller,
  { request, own, end, chosen }: FinishedTurn,
): Promise<void> {
  return storeResponse(services, caller, chosen, () => {
    const response = storable(interactionIn(end));
    if (response === undefined) return undefined;
    const answer: Message[] = decodeInput((response["steps"] ?? []) as Wire[]);
    const turn = { messages: storable([...request.messages, ...answer]), response, input: own };
    return { kind: "interaction", id: String(response["id"]), model: request.model, turn };
  });
}

/** Returns the interaction of a body, or of the event that completes a stream. */
function interactionIn(end: string): Wire | undefined {
  if (end.startsWith("{")) return asRecord(parseSmall(end));
  const start = "data: ";
  const line = end
    .split("\n")
    .find((each) => each.startsWith(`${start}{"event_type":"interaction.completed"`));
  return line === undefined
    ? undefined
    : asRecord(asRecord(parseSmall(line.slice(start.length)))?.["interaction"]);
}
