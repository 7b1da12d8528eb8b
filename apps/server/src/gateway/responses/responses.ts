import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { type StoredResponse, findResponse, forgetResponse } from "#domain/responses/stored.ts";
import { invalidRequest } from "#errors.ts";
import { accessOf } from "#gateway/access/access.ts";
import { type ItemPage, pageOf } from "#gateway/conversation/item-page.ts";
import { sendAnswer } from "#gateway/http/reply.ts";
import { queryWithoutKey } from "#gateway/http/request-url.ts";
import type { GatewayServices } from "#gateway/services.ts";
import {
  type StoredResponseCall,
  relayStoredResponse,
  responseNotFound,
} from "#relay/background/stored-response.ts";

/**
 * Routes for stored responses: retrieve, list input items, cancel, delete. Only for the account that created
 * them.
 */
export function responseRoutes(app: FastifyInstance, services: GatewayServices): void {
  const path = "/v1/responses/:id";
  app.get(path, (request, reply) =>
    answer(services, request, reply, "GET", "", ({ turn }) => turn?.response),
  );
  app.delete(path, (request, reply) =>
    answer(services, request, reply, "DELETE", "", ({ id }) => ({ id, object: "response", deleted: true })),
  );
  app.post(`${path}/cancel`, (request, reply) =>
    answer(services, request, reply, "POST", "/cancel", () => {
      throw invalidRequest({ reason: "response_complete" });
    }),
  );
  app.get(`${path}/input_items`, (request, reply) =>
    answer(services, request, reply, "GET", "/input_items", (stored) => inputItems(stored, request.query)),
  );
}

/** Returns a page of all items before the response. */
function inputItems({ turn, model }: StoredResponse, query: unknown): ItemPage {
  const messages = turn?.messages.slice(0, -1) ?? [];
  const { body } = dialects["openai-responses"].encodeRequest({ model, stream: false, messages });
  const input = Array.isArray(body["input"]) ? (body["input"] as Wire[]) : [];
  return pageOf(
    input.map((item, index) => ({ id: `item_${index}`, ...item })),
    query,
  );
}

async function answer(
  services: GatewayServices,
  request: FastifyRequest,
  reply: FastifyReply,
  method: "GET" | "POST" | "DELETE",
  below: StoredResponseCall["below"],
  ours: (stored: StoredResponse) => unknown,
): Promise<FastifyReply> {
  const access = accessOf(request);
  const { userId } = access.caller;
  const { id } = request.params as { id: string };
  const stored = await findResponse(services.db, id, userId);
  if (stored === null) throw responseNotFound(id);
  const query = queryWithoutKey(request.url);
  if (!["false", null].includes(new URLSearchParams(query).get("stream")))
    throw invalidRequest({ reason: "stored_response_not_streamed" }, { param: "stream" });
  const { signal } = access;
  let body: string;
  if (stored.turn !== null) body = JSON.stringify(ours(stored));
  else {
    const call: StoredResponseCall = {
      ...access,
      endpoint: `/v1/responses/:id${below}`,
      needs: "responses",
      model: stored.model,
      stream: false,
      tools: false,
      estimate: { input: 0, output: 0 },
      calls: 0,
      signal,
      stored,
      method,
      below,
      query,
    };
    ({ body } = await relayStoredResponse(services.relay, call));
  }
  if (method === "DELETE") await forgetResponse(services.db, id, userId);
  const { streams } = services.relay.metrics;
  await sendAnswer(
    reply,
    { kind: "body", headers: {}, body },
    { heartbeat: "", heartbeatMs: 0, headers: {}, signal, streams },
  );
  return reply;
}
