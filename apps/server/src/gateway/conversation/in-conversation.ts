import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { storable } from "#dialects/storable.ts";
import { addItems, findConversation } from "#domain/responses/conversations.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import type { JsonBody } from "#gateway/body/json-body.ts";
import { requireStorable } from "#gateway/body/storable.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { asItems, hasEncryptedContent, itemsGiven, storedItem, repeatable } from "./conversation-items.ts";
import { responseIn } from "./conversation.ts";

/**
 * A response in a conversation: earlier items precede its input, and new items are added to the conversation.
 */
export interface InConversation {
  id: string;
  body: JsonBody;
  pin: Pin | undefined;
  finished: NonNullable<ChatCall["finished"]>;
}

const Named = z.union([z.string(), z.looseObject({ id: z.string() })], {
  error: "expected the id of a conversation",
});

/** Returns undefined when the body names no conversation. Throws `not_found` for one of another account. */
export async function inConversation(
  services: GatewayServices,
  caller: Caller,
  { body }: JsonBody,
  pin: Pin | undefined,
): Promise<InConversation | undefined> {
  if (body["conversation"] === undefined || body["conversation"] === null) return undefined;
  const named = Named.safeParse(body["conversation"]);
  if (!named.success) throw invalidRequest({ reason: "conversation_id" }, { param: "conversation" });
  if (body["previous_response_id"] !== undefined && body["previous_response_id"] !== null)
    throw invalidRequest({ reason: "previous_or_conversation" }, { param: "previous_response_id" });
  const id = typeof named.data === "string" ? named.data : named.data.id;
  requireStorable(id, "conversation");
  const found = await findConversation(services.db, id, caller.userId);
  const given = itemsGiven(body["input"], "input");
  const { conversation: _conversation, ...rest } = body;
  const input = [...repeatable(found.items), ...(asItems(body["input"]) as Wire[])];
  const request: Wire = { ...rest, input };
  const isHome =
    found.channelId !== 0 &&
    found.model === body["model"] &&
    hasEncryptedContent(found.items) &&
    services.relay.candidates.byId(found.channelId) !== undefined;
  return {
    id,
    body: { body: request, raw: Buffer.from(JSON.stringify(request)) },
    pin: isHome ? { ...pin, home: { channel: found.channelId, key: found.keyId ?? undefined } } : pin,
    async finished(end, chosen) {
      try {
        const output = responseIn(end)?.["output"];
        const content = Array.isArray(output) ? storable(output as Wire[]).map(storedItem) : [];
        const by = { channelId: chosen.channel.id, keyId: chosen.key?.id ?? null };
        const model = String(body["model"]);
        await addItems(services.db, id, caller.userId, [...given, ...content], { ...by, model });
      } catch (error) {
        // The response is already paid for: a full or deleted conversation must not make it fail.
        if (!(error instanceof GatewayError)) services.relay.onError(error);
      }
    },
  };
}
