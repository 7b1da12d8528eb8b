import type { FastifyInstance, FastifyRequest } from "fastify";
import { encodeMessages } from "#dialects/interactions/encode-steps.ts";
import { findResponse, forgetResponse, type StoredTurn } from "#domain/responses/stored.ts";
import { invalidRequest, notFound } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { chatPaths } from "#gateway/chat/chat.ts";
import type { GatewayServices } from "#gateway/services.ts";

/**
 * Routes for stored interactions: retrieve, cancel, delete. Only for the account that created them. Registered in the scope
 * of their dialect.
 */
export function interactionRoutes(app: FastifyInstance, { db }: GatewayServices): void {
  for (const base of chatPaths("interactions")) {
    const path = `${base}/:id`;
    app.get(path, async (request, reply) => {
      const turn = await findTurn(request);
      const { stream, include_input: withInput } = request.query as Record<string, unknown>;
      if (stream === "true")
        throw invalidRequest({ reason: "stored_response_not_streamed" }, { param: "stream" });
      return reply.send(withInput === "true" ? { ...turn.response, input: inputOf(turn) } : turn.response);
    });
    app.delete(path, async (request, reply) => {
      await findTurn(request);
      await forgetResponse(db, idOf(request), accessOf(request).caller.userId, "interaction");
      return reply.send({});
    });
    app.post(`${path}/cancel`, async (request) => {
      await findTurn(request);
      throw invalidRequest({ reason: "response_complete" });
    });
  }

  async function findTurn(request: FastifyRequest): Promise<StoredTurn> {
    const id = idOf(request);
    const row = await findResponse(db, id, accessOf(request).caller.userId, "interaction");
    if (row === null || row.turn === null) throw notFound({ reason: "interaction_not_found", id });
    return row.turn;
  }
}

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id;
}

/** Returns the steps of this interaction's own input. */
function inputOf({ messages, response, input = 0 }: StoredTurn) {
  const steps = response["steps"];
  const answers = Array.isArray(steps) && steps.length > 0 ? 1 : 0;
  const end = messages.length - answers;
  return encodeMessages(messages.slice(Math.max(0, end - input), end));
}
