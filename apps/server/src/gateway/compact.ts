import type { FastifyInstance } from "fastify";
import { withinCost } from "#dialects/cost-fields.ts";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { spendingOf } from "#dialects/spending.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { relayCompact } from "#relay/chat/compact.ts";
import { accessOf } from "./access.ts";
import { admit } from "./admit.ts";
import { jsonBody } from "./body/json-body.ts";
import { asItems } from "./conversation-items.ts";
import { recall } from "./conversation.ts";
import { leavingSignal } from "./disconnect.ts";
import { sendAnswer } from "./reply.ts";
import { orCannot } from "./responses-only.ts";
import type { GatewayServices } from "./services.ts";

/** `/v1/responses/compact`: for providers that speak Responses; no other can make what it answers. */
const PATH = "/v1/responses/compact";

export function compactRoutes(app: FastifyInstance, services: GatewayServices): void {
  const wire = dialects["openai-responses"];
  app.post(PATH, async (request, reply) => {
    const access = accessOf(request);
    const { caller, pin } = access;
    const { body, dropped } = withinCost("openai-responses", jsonBody(request).body);
    const given = { ...body, input: asItems(body["input"]) };
    const decoded = wire.decodeRequest(given, {});
    const recalled = await recall(services, caller, given, decoded, pin);
    const { request: turn, rewritten, pin: home } = recalled;
    const { model } = turn;
    const signal = leavingSignal(reply);
    const { DefaultMaxOutputTokens: maxOutputTokens } = services.relay.settings.current();
    const { headers, call } = await admit(services, {
      ...access,
      pin: home,
      endpoint: PATH,
      needs: "responses" as const,
      model,
      stream: false,
      tools: false,
      estimate: estimateUsage(turn, {
        maxOutputTokens,
        spending: spendingOf(given, turn, recalled),
      }),
      dropped,
      calls: 1,
      signal,
      body: rewritten === true ? (wire.encodeRequest(turn).body satisfies Wire) : given,
      forward: {},
    });
    try {
      const answer = await relayCompact(services.relay, call);
      const { streams } = services.relay.metrics;
      await sendAnswer(reply, answer, { heartbeat: "", heartbeatMs: 0, headers, signal, streams });
    } catch (error) {
      throw orCannot(services, error, { group: caller.group, model, reason: "model_cannot_compact" });
    }
    return reply;
  });
}
