import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Address, ClientDialect, Wire } from "#dialects/dialect.ts";
import { clientDialects } from "#dialects/index.ts";
import { spendingOf } from "#dialects/usage/spending.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { notFound } from "#errors.ts";
import { type Access, accessOf, wantsFresh, wantsPromptCache } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { sessionBudgetOf, sessionNoteOf, sessionOf } from "#gateway/access/session.ts";
import { limitCost, decodeBody } from "#gateway/body/decode-body.ts";
import { type JsonBody, jsonBody } from "#gateway/body/json-body.ts";
import { withLimitLink } from "#gateway/http/limit-links.ts";
import { heartbeatMs, sendAnswer, sendWhenReady } from "#gateway/http/reply.ts";
import { targetOf } from "#gateway/http/request-url.ts";
import { isOurFault, toGatewayError } from "#gateway/http/to-gateway-error.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { relayChat, streamType } from "#relay/chat/chat.ts";
import type { Answer } from "#relay/core/call.ts";
import { answerQuote, QUOTE_HEADER, QUOTE_PATH, refuseQuote, takeQuote } from "./quotes.ts";

/** Path and dialect of each chat endpoint. */
const endpoints = [
  ["/v1/chat/completions", "openai-chat"],
  ["/v1/responses", "openai-responses"],
  ["/v1/messages", "anthropic"],
  ["/claude/v1/messages", "anthropic"],
  ["/v1beta/models/:target", "gemini"],
  // Google's own clients use this version now.
  ["/v1/models/:target", "gemini"],
  ["/gemini/:version/models/:target", "gemini"],
  ["/v1beta/interactions", "interactions"],
  ["/v1/interactions", "interactions"],
  ["/gemini/:version/interactions", "interactions"],
] as const;

export function chatPaths(dialect: ClientDialect["id"]): string[] {
  return endpoints.filter(([, spoken]) => spoken === dialect).map(([path]) => path);
}

/** Other actions of a dialect at its chat paths, by the name that Gemini puts after the model. */
export type ChatActions = ReadonlyMap<
  string,
  (request: FastifyRequest, reply: FastifyReply) => Promise<void>
>;

/** Registers the chat routes of one dialect, in a scope that encodes errors in this dialect. */
export function chatRoutes(
  app: FastifyInstance,
  services: GatewayServices,
  dialect: ClientDialect,
  { read = readTurn(dialect), actions = new Map() }: { read?: ReadTurn; actions?: ChatActions } = {},
): void {
  const config = { takesQuote: true };
  for (const path of chatPaths(dialect.id)) {
    app.post(targetRoute(path), { config }, async (request, reply) => {
      const act = actions.get(targetOf(request)?.action ?? "");
      if (act === undefined) await answerChat(services, dialect, path, await read(request), request, reply);
      else {
        refuseQuote(request);
        await act(request, reply);
      }
      return reply;
    });
    app.post(QUOTE_PATH + targetRoute(path), async (request, reply) => {
      const { body, raw, turn, serve } = await read(request);
      const source = { endpoint: path, client: dialect, body, raw, turn };
      const call = chatCall(services, accessOf(request), source, request);
      await answerQuote(services, { call, leadsToCalls: serve !== undefined }, request, reply);
      return reply;
    });
  }
}

/** The call that the client requested. */
export interface DecodedChat extends JsonBody {
  turn: Pick<
    ChatCall,
    | "request"
    | "rewritten"
    | "pin"
    | "finished"
    | "stateful"
    | "background"
    | "dropped"
    | "sockets"
    | "continued"
    | "earlierTokens"
  >;
  /** Creates the response. Default: `relayChat`. */
  serve?(call: ChatCall): Promise<Answer>;
  /** Adapts the response, or its failure, for this client. Default: unchanged. */
  answered?(answer: Promise<Answer>): Promise<Answer>;
}

/** @param select returns the part of the body to decode, where it is not the whole body */
export type ReadTurn = (request: FastifyRequest, select?: (body: Wire) => Wire) => Promise<DecodedChat>;

/** Returns the reader for a self-contained request. */
export function readTurn(client: ClientDialect): ReadTurn {
  return async (request, select) => turnOf(client, jsonBody(request), request, select);
}

/** Reads a call from a body that may differ from that of the request. */
export function turnOf(
  client: ClientDialect,
  given: JsonBody,
  request: FastifyRequest,
  select?: (body: Wire) => Wire,
): DecodedChat {
  const { json, dropped } = limitCost(client, given);
  const { pin } = accessOf(request);
  return {
    ...json,
    turn: { request: decodeBody(client, json, addressOf(request), select), pin, dropped },
  };
}

async function answerChat(
  services: GatewayServices,
  client: ClientDialect,
  endpoint: string,
  { raw, body, turn, serve, answered = (answer) => answer }: DecodedChat,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const access = accessOf(request);
  const { caller } = access;
  const chat = turn.request;
  const { signal } = access;
  const settings = services.relay.settings.current();
  const requested = chatCall(services, access, { endpoint, client, body, raw, turn }, request);
  const { headers, call: admitted } = await admit(services, requested);
  const turnToQuote = { call: admitted, leadsToCalls: serve !== undefined };
  const quoted =
    request.headers[QUOTE_HEADER] === undefined ? undefined : await takeQuote(services, turnToQuote, request);
  const call = quoted?.call ?? admitted;
  const heartbeat = caller.setting.heartbeat;
  const options = {
    heartbeat: chat.jsonArrayStream === true ? "\n" : client.heartbeat,
    heartbeatMs: heartbeatMs(heartbeat, settings.HeartbeatSeconds),
    headers,
    signal,
    streams: services.relay.metrics.streams,
  };
  const answer = answered(serve === undefined ? relayChat(services.relay, call) : serve(call));
  if (quoted !== undefined) answer.catch(() => quoted.failed());
  if (!heartbeat.enabled || !chat.stream) return sendAnswer(reply, await answer, options);
  await sendWhenReady(reply, answer, options, {
    contentType: streamType(chat),
    fail(error) {
      const named = withLimitLink(services, toGatewayError(error), request.server.prefix);
      if (isOurFault(named)) request.log.error({ err: error }, "call failed");
      return client.encodeStreamError(named, request.id, chat);
    },
  });
}

type ChatSource = Pick<ChatCall, "endpoint" | "client" | "body" | "raw"> & Pick<DecodedChat, "turn">;

/** Returns the call of a turn, before it is admitted. */
export function chatCall(
  services: Pick<GatewayServices, "relay">,
  access: Access,
  { turn, endpoint, client, body, raw }: ChatSource,
  request: FastifyRequest,
): ChatCall {
  const chat = turn.request;
  const { caller } = access;
  const session = sessionOf(request, { body, request: chat, userId: caller.userId });
  return {
    requestId: access.requestId,
    clientRequestId: access.clientRequestId,
    trace: access.trace,
    startedAt: access.startedAt,
    caller,
    maxPrice: access.maxPrice,
    ip: access.ip,
    memory: access.memory,
    signal: access.signal,
    endpoint,
    client,
    body,
    raw,
    needs: turn.background === true ? "responses" : "chat",
    model: resolveModel(services.relay.settings, chat.model),
    stream: chat.stream,
    tools: chat.tools !== undefined && chat.tools.length > 0,
    estimate: estimateUsage(chat, {
      maxOutputTokens: services.relay.settings.current().DefaultMaxOutputTokens,
      spending: spendingOf(body, chat, turn),
    }),
    calls: 1,
    forward: selectProviderHeaders(request),
    fresh: wantsFresh(request),
    helpsPromptCache: wantsPromptCache(request),
    sessionNote: () => sessionNoteOf(request, body),
    session,
    sessionBudget: sessionBudgetOf(services, request, caller, session),
    ...turn,
  };
}

const geminiActions = new Set(["generateContent", "streamGenerateContent", "countTokens"]);

/** Returns what the path of a call contains. Only Gemini's clients put the model there. */
export function addressOf(request: FastifyRequest): Address {
  const target = targetOf(request);
  if (target === undefined) return {};
  const { model, action } = target;
  if (model === "" || !geminiActions.has(action)) throw notFound({ reason: "gemini_action", action });
  const { alt } = request.query as { alt?: unknown };
  return { model, stream: action === "streamGenerateContent", sse: alt === "sse" };
}

/**
 * Returns the headers with which a client requests features of its own provider; undefined without any. They mean
 * nothing to other dialects. Anthropic's list is open: its clients add headers with each version.
 */
export function selectProviderHeaders(request: FastifyRequest): Record<string, string> | undefined {
  let headers: Record<string, string> | undefined;
  for (const name in request.headers) {
    if (!name.startsWith("anthropic-") && name !== "openai-beta") continue;
    const value = request.headers[name];
    if (typeof value === "string") (headers ??= {})[name] = value;
  }
  return headers;
}

/** All dialects with chat endpoints. */
export const chatDialects: readonly ClientDialect[] = Object.values(clientDialects);

/**
 * Returns the route of a path with a target. A wildcard, because names of models contain slashes, and some clients
 * do not escape them.
 */
export function targetRoute(path: string): string {
  return path.replace(":target", "*");
}
