import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { accessOf } from "#gateway/access/access.ts";
import { endpointOf } from "#gateway/access/endpoint.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { countTokens } from "#relay/chat/count-tokens.ts";
import { chatPaths, selectProviderHeaders, type ReadTurn } from "./chat.ts";

/** Registers the token-count endpoints of a dialect. They are free, but count as requests. */
export function countRoutes(
  app: FastifyInstance,
  services: GatewayServices,
  dialect: Dialect,
  read: ReadTurn,
): void {
  const { count } = dialect;
  if (count?.countPath === undefined) return;
  for (const path of chatPaths(dialect.id))
    app.post(path + count.countPath, async (request, reply) => {
      await answerCount(services, dialect, read, request, reply);
      return reply;
    });
}

export async function answerCount(
  services: GatewayServices,
  client: Dialect,
  read: ReadTurn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw, body, turn } = await read(request, (given) => {
    // Gemini may wrap the whole request. No dialect sends an output limit with a count request.
    const inner = given["generateContentRequest"] ?? given;
    return { max_tokens: 1, ...(inner as Wire) };
  });
  const counted = await countTokens(services.relay, {
    ...accessOf(request),
    endpoint: endpointOf(request),
    needs: "chat",
    model: resolveModel(services.relay.settings, turn.request.model),
    stream: false,
    tools: false,
    estimate: { input: 0, output: 0 },
    calls: 1,
    client,
    body,
    raw,
    ...turn,
    forward: selectProviderHeaders(request),
  });
  await reply.headers(counted.headers).type("application/json; charset=utf-8").send(counted.body);
}
