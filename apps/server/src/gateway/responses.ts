import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { dialects } from "#dialects/index.ts";
import { chooseKey } from "#domain/channels/channel-in-force.ts";
import { findResponse, forgetResponse, type StoredResponse } from "#domain/responses/stored.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import { TransportError } from "#platform/http.ts";
import { closeBefore, endBefore } from "#relay/background/background.ts";
import { explain } from "#relay/core/retry.ts";
import { errorForClients, failedForClients } from "#relay/core/scrub.ts";
import { send } from "#relay/core/send.ts";
import { wholeText } from "#relay/core/whole-text.ts";
import { accessOf } from "./access.ts";
import { leavingSignal } from "./disconnect.ts";
import { queryWithoutKey } from "./query.ts";
import { sendAnswer } from "./reply.ts";
import type { GatewayServices } from "./services.ts";

/** What may be done with an answer later: look at it, its input, cancel it, delete it. Only its own account may. */
const MAX_BYTES = 64 * 1024 * 1024;

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
      throw new GatewayError(
        "invalid_request",
        "Only a background response can be cancelled, and this one is complete.",
      );
    }),
  );
  app.get(`${path}/input_items`, (request, reply) =>
    answer(services, request, reply, "GET", "/input_items", inputItems),
  );
}

/** Everything that was said before the answer, as the items that say it. */
function inputItems({ turn, model }: StoredResponse): Record<string, unknown> {
  const messages = turn?.messages.slice(0, -1) ?? [];
  const { body } = dialects["openai-responses"].encodeRequest({ model, stream: false, messages });
  const input = Array.isArray(body["input"]) ? (body["input"] as Record<string, unknown>[]) : [];
  const data = input.map((item, index) => ({ id: `item_${index}`, ...item }));
  return {
    object: "list",
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: false,
  };
}

async function answer(
  services: GatewayServices,
  request: FastifyRequest,
  reply: FastifyReply,
  method: "GET" | "POST" | "DELETE",
  suffix: string,
  ours: (stored: StoredResponse) => unknown,
): Promise<FastifyReply> {
  const { caller } = accessOf(request);
  const { id } = request.params as { id: string };
  const stored = await findResponse(services.db, id, caller.userId);
  if (stored === null) throw responseNotFound(id);
  const body =
    stored.turn === null
      ? await askVendor(services, { ...stored, userId: caller.userId }, method, suffix, request, reply)
      : ours(stored);
  if (method === "DELETE") await forgetResponse(services.db, id, caller.userId);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  await sendAnswer(
    reply,
    { kind: "body", headers: {}, body: text },
    {
      heartbeat: "",
      heartbeatMs: 0,
      headers: {},
      signal: leavingSignal(reply),
      streams: services.relay.metrics.streams,
    },
  );
  return reply;
}

function responseNotFound(id: string): GatewayError {
  return new GatewayError("not_found", `The response "${id}" was not found.`);
}

async function askVendor(
  services: GatewayServices,
  stored: StoredResponse & { userId: number },
  method: "GET" | "POST" | "DELETE",
  suffix: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const channel = services.relay.candidates.byId(stored.channelId);
  if (channel === undefined)
    throw new GatewayError("not_found", "The channel that made this response is not there any more.");
  const key = chooseKey(channel, services.relay.random(), { pinned: stored.keyId ?? undefined });
  const query = queryWithoutKey(request.url);
  if (!["false", null].includes(new URLSearchParams(query).get("stream")))
    throw invalidRequest("A response that was made before cannot be streamed here.", "stream");
  if (method === "DELETE") await endBefore(services.relay, stored);
  try {
    const response = await send(
      services.relay,
      { channel, key },
      {
        method,
        path: `/v1/responses/${encodeURIComponent(stored.id)}${suffix}${query}`,
        dialect: "openai-responses",
        headers: { accept: "application/json" },
        body: null,
        signal: leavingSignal(reply),
      },
    );
    const text = await wholeText(response, MAX_BYTES, accessOf(request).memory);
    if (response.status >= 200 && response.status < 300) {
      if (method !== "DELETE" && suffix !== "/input_items") await closeBefore(services.relay, stored, text);
      return failedForClients(text, { channel, key });
    }
    const error = dialects["openai-responses"].decodeError(response.status, text, response.headers);
    // What is not there is the response: nothing was asked of a model.
    throw error.kind === "not-found"
      ? responseNotFound(stored.id)
      : explain(errorForClients(error, { channel, key }), stored.model);
  } catch (error) {
    if (error instanceof TransportError)
      throw new GatewayError("upstream_failed", "The upstream could not be asked for this response.");
    throw error;
  }
}
