import type { Dialect, Wire } from "#dialects/dialect.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { accessOf } from "#gateway/access/access.ts";
import { limitCost, decodeBody } from "#gateway/body/decode-body.ts";
import { jsonBody, type JsonBody } from "#gateway/body/json-body.ts";
import type { ReadTurn, DecodedChat } from "#gateway/chat/chat.ts";
import { openSummaries } from "#gateway/compaction/seal.ts";
import { afterCompaction, compactingAbove, thresholdIn } from "#gateway/compaction/threshold.ts";
import { answerCompaction, requestsCompaction } from "#gateway/compaction/trigger.ts";
import { recall } from "#gateway/conversation/conversation.ts";
import { inConversation } from "#gateway/conversation/in-conversation.ts";
import { withReferences } from "#gateway/conversation/item-references.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { Answer } from "#relay/core/call.ts";
import { addToEnd, addRepeatedFields } from "./repeated.ts";
import { explainMissingFeature, wantsBackground } from "./responses-only.ts";

/** Reads a call of the Responses dialect, including the earlier part of its conversation. */
export function readResponseTurn(services: GatewayServices, client: Dialect): ReadTurn {
  return async (request, select) => {
    const { caller, pin } = accessOf(request);
    return responseTurn(services, client, jsonBody(request), { caller, pin, select });
  };
}

interface TurnInput {
  caller: Caller;
  pin: Pin | undefined;
  select?: ((body: Wire) => Wire) | undefined;
}

/** Reads a call from a body that may come from another source than an HTTP request. */
export async function responseTurn(
  services: GatewayServices,
  client: Dialect,
  given: JsonBody,
  { caller, pin, select }: TurnInput,
): Promise<DecodedChat> {
  const threshold = thresholdIn(given.body);
  const whole = await withReferences(services, caller, given);
  const current = threshold === undefined ? whole : afterCompaction(whole);
  const { json, dropped } = limitCost(client, openSummaries(services.secrets, caller.userId, current));
  const compacts = requestsCompaction(json);
  const background = wantsBackground(json.body);
  const inside = await inConversation(services, caller, json, pin);
  const { raw, body } = inside?.body ?? json;
  const decoded = decodeBody(client, { raw, body }, {}, select);
  const turn = await recall(services, caller, body, decoded, inside?.pin ?? pin);
  if (inside === undefined) {
    const repeated = { previous_response_id: body["previous_response_id"] };
    const cannot = {
      group: caller.group,
      model: turn.request.model,
      reason: "model_cannot_background" as const,
    };
    return {
      raw,
      body,
      turn: { ...turn, background, dropped },
      ...serving(services, compacts ? "now" : background ? undefined : threshold),
      async answered(answer) {
        try {
          return turn.rewritten === true ? addRepeatedFields(await answer, repeated) : await answer;
        } catch (error) {
          throw background ? explainMissingFeature(services, error, cannot) : error;
        }
      },
    };
  }
  const repeated: Wire = { conversation: { id: inside.id } };
  return {
    raw,
    body,
    turn: {
      ...turn,
      stateful: true,
      dropped,
      async finished(end, chosen) {
        await turn.finished?.(addToEnd(end, repeated), chosen);
        await inside.finished(end, chosen);
      },
    },
    answered: async (answer: Promise<Answer>) => addRepeatedFields(await answer, repeated),
  };
}

/** @param compacts at once, above a number of tokens, or never */
function serving(
  services: GatewayServices,
  compacts: "now" | number | undefined,
): Pick<DecodedChat, "serve"> {
  if (compacts === undefined) return {};
  return {
    serve: (call) =>
      compacts === "now" ? answerCompaction(services, call) : compactingAbove(services, call, compacts),
  };
}
