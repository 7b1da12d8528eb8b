import type { FastifyInstance } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { withinCost } from "#dialects/usage/cost-fields.ts";
import { spendingOf } from "#dialects/usage/spending.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { accessOf } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { sessionBudgetOf, sessionNoteOf, sessionOf } from "#gateway/access/session.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import { openSummaries } from "#gateway/compaction/seal.ts";
import { providerElseHere } from "#gateway/compaction/trigger.ts";
import { asItems } from "#gateway/conversation/conversation-items.ts";
import { recall } from "#gateway/conversation/conversation.ts";
import { sendAnswer } from "#gateway/http/reply.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { type CompactCall, relayCompact } from "#relay/chat/compact.ts";
import type { Answer } from "#relay/core/call.ts";

/**
 * `/v1/responses/compact`: by the provider if it supports this, else by a summary that only this gateway can
 * read.
 */
const PATH = "/v1/responses/compact";

export function compactRoutes(app: FastifyInstance, services: GatewayServices): void {
  const wire = dialects["openai-responses"];
  app.post(PATH, async (request, reply) => {
    const access = accessOf(request);
    const { caller, pin } = access;
    const opened = openSummaries(services.secrets, caller.userId, jsonBody(request));
    const { body, dropped } = withinCost("openai-responses", opened.body);
    const given = { ...body, input: asItems(body["input"]) };
    const decoded = wire.decodeRequest(given, {});
    const recalled = await recall(services, caller, given, decoded, pin);
    const { request: turn, rewritten, pin: home } = recalled;
    const model = resolveModel(services.relay.settings, turn.model);
    const { signal } = access;
    const { DefaultMaxOutputTokens: maxOutputTokens } = services.relay.settings.current();
    const session = sessionOf(request, { ...opened, request: turn, userId: caller.userId });
    const sessionBudget = sessionBudgetOf(services, request, caller, session);
    const { headers, call } = await admit(services, {
      ...access,
      // Only the account that served the session can read the reasoning in it, and later the compaction.
      session,
      sessionNote: () => sessionNoteOf(request, given),
      sessionBudget,
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
    const chat = { ...call, needs: "chat" as const, client: wire, raw: Buffer.alloc(0), request: turn };
    const answer = await compactChat(services, call, chat);
    const { streams } = services.relay.metrics;
    await sendAnswer(reply, answer, { heartbeat: "", heartbeatMs: 0, headers, signal, streams });
    return reply;
  });
}

async function compactChat(services: GatewayServices, call: CompactCall, chat: ChatCall): Promise<Answer> {
  const made = await providerElseHere(services, { ...chat, body: call.body }, () =>
    relayCompact(services.relay, call),
  );
  if ("kind" in made) return made;
  const { id, createdAt, item, usage, headers } = made;
  const body = { id, object: "response.compaction", created_at: createdAt, output: [item], usage };
  return { kind: "body", headers, body: JSON.stringify(body) };
}
