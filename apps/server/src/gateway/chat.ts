import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Address, Dialect, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { spendingOf } from "#dialects/spending.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { invalidRequest, modelNotFound } from "#errors.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { relayChat, streamType } from "#relay/chat/chat.ts";
import { countTokens } from "#relay/chat/count-tokens.ts";
import type { Answer } from "#relay/core/call.ts";
import { accessOf } from "./access.ts";
import { admit } from "./admit.ts";
import { affordable, decodeBody } from "./body/decode-body.ts";
import { jsonBody, type JsonBody } from "./body/json-body.ts";
import { recall } from "./conversation.ts";
import { leavingSignal } from "./disconnect.ts";
import { endpointOf } from "./endpoint.ts";
import { wantsFresh } from "./fresh.ts";
import { answerEmbed, embedTarget } from "./gemini-embeddings.ts";
import { inConversation } from "./in-conversation.ts";
import { isOurFault, nameError } from "./name-error.ts";
import { inEnd, repeating } from "./repeated.ts";
import { heartbeatMs, sendAnswer, sendWhenReady } from "./reply.ts";
import { orCannot, wantsBackground } from "./responses-only.ts";
import type { GatewayServices } from "./services.ts";

/** Where each dialect's chat clients knock: path and dialect, one line each. */
const doors = [
  ["/v1/chat/completions", "openai-chat"],
  ["/v1/responses", "openai-responses"],
  ["/v1/messages", "anthropic"],
  ["/claude/v1/messages", "anthropic"],
  ["/v1beta/models/:target", "gemini"],
  // Google's own clients have moved on to this version.
  ["/v1/models/:target", "gemini"],
  ["/gemini/:version/models/:target", "gemini"],
] as const;

export function chatPaths(dialect: Dialect["id"]): string[] {
  return doors.filter(([, spoken]) => spoken === dialect).map(([path]) => path);
}

/** The chat routes of one dialect, in a scope that already spells errors in it. */
export function chatRoutes(app: FastifyInstance, services: GatewayServices, dialect: Dialect): void {
  for (const path of chatPaths(dialect.id)) {
    app.post(path, async (request, reply) => {
      const { target } = request.params as { target?: string };
      const embed = embedTarget(target);
      if (embed !== undefined) await answerEmbed(services, embed, jsonBody(request), request, reply);
      else if (target?.endsWith(":countTokens") === true)
        await answerCount(services, dialect, request, reply);
      else await answerChat(services, dialect, path, request, reply);
      return reply;
    });
    if (dialect.count?.door === undefined) continue;
    app.post(path + dialect.count.door, async (request, reply) => {
      await answerCount(services, dialect, request, reply);
      return reply;
    });
  }
}

/** How many tokens a request has: free, but counted by the rate like any request. */
async function answerCount(
  services: GatewayServices,
  client: Dialect,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const access = accessOf(request);
  const { caller, pin } = access;
  const { raw, body, turn } = await turnOf(services, client, caller, pin, request, (given) => {
    // Gemini may wrap the whole request; neither dialect names an output limit here.
    const inner = given["generateContentRequest"] ?? given;
    return { max_tokens: 1, ...(inner as Wire) };
  });
  const signal = leavingSignal(reply);
  const forward = forwardable(request);
  const counted = await countTokens(services.relay, {
    ...access,
    endpoint: endpointOf(request),
    needs: "chat",
    model: turn.request.model,
    stream: false,
    tools: false,
    estimate: { input: 0, output: 0 },
    calls: 1,
    client,
    body,
    raw,
    ...turn,
    forward,
    signal,
  });
  await reply.headers(counted.headers).type("application/json; charset=utf-8").send(counted.body);
}

interface Asked extends JsonBody {
  turn: Pick<ChatCall, "request" | "rewritten" | "pin" | "finished" | "stateful" | "background" | "dropped">;
  /** What the answer repeats although its vendor was not told. */
  repeated?: Wire;
}

/** The call as its client means it: what came before it in a conversation is part of it. */
async function turnOf(
  services: GatewayServices,
  client: Dialect,
  caller: Caller,
  pin: Pin | undefined,
  request: FastifyRequest,
  asked = (body: Wire) => body,
): Promise<Asked> {
  const { json, dropped } = affordable(client, jsonBody(request));
  const address = addressOf(request);
  if (client.id !== "openai-responses")
    return { ...json, turn: { request: decodeBody(client, json, address, asked), pin, dropped } };
  const background = wantsBackground(json.body);
  const inside = await inConversation(services, caller, json, pin);
  const { raw, body } = inside?.body ?? json;
  const decoded = decodeBody(client, { raw, body }, address, asked);
  const turn = await recall(services, caller, body, decoded, inside?.pin ?? pin);
  if (inside === undefined) {
    const repeated = { previous_response_id: body["previous_response_id"] };
    return {
      raw,
      body,
      turn: { ...turn, background, dropped },
      ...(turn.rewritten === true && { repeated }),
    };
  }
  const repeated = { conversation: { id: inside.id } };
  const finished: ChatCall["finished"] = async (end, chosen) => {
    await turn.finished?.(inEnd(end, repeated), chosen);
    await inside.finished(end, chosen);
  };
  return { raw, body, turn: { ...turn, finished, stateful: true, dropped }, repeated };
}

async function answerChat(
  services: GatewayServices,
  client: Dialect,
  endpoint: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const access = accessOf(request);
  const { caller, pin } = access;
  const { raw, body, turn, repeated } = await turnOf(services, client, caller, pin, request);
  const chat = turn.request;
  const signal = leavingSignal(reply);
  const settings = services.relay.settings.current();
  const { headers, call } = await admit(services, {
    ...access,
    endpoint,
    needs: turn.background === true ? "responses" : "chat",
    model: chat.model,
    stream: chat.stream,
    tools: chat.tools !== undefined && chat.tools.length > 0,
    estimate: estimateUsage(chat, {
      maxOutputTokens: settings.DefaultMaxOutputTokens,
      spending: spendingOf(body, chat, turn),
    }),
    calls: 1,
    client,
    body,
    raw,
    ...turn,
    forward: forwardable(request),
    fresh: wantsFresh(request),
    signal,
  });
  const asked = caller.setting.heartbeat;
  const options = {
    heartbeat: chat.jsonArrayStream === true ? "\n" : client.heartbeat,
    heartbeatMs: heartbeatMs(asked, settings.HeartbeatSeconds),
    headers,
    signal,
    streams: services.relay.metrics.streams,
  };
  const answer = answerOf(services, call, repeated);
  if (!asked.enabled || !chat.stream) return sendAnswer(reply, await answer, options);
  await sendWhenReady(reply, answer, options, {
    contentType: streamType(chat),
    fail(error) {
      const named = nameError(error);
      if (isOurFault(named)) request.log.error({ err: error }, "call failed");
      return client.encodeStreamError(named, request.id, chat);
    },
  });
}

async function answerOf(
  services: GatewayServices,
  call: ChatCall,
  repeated: Wire | undefined,
): Promise<Answer> {
  try {
    const answer = await relayChat(services.relay, call);
    return repeated === undefined ? answer : repeating(answer, repeated);
  } catch (error) {
    if (call.background !== true) throw error;
    const { caller, model } = call;
    throw orCannot(services, error, { group: caller.group, model, to: "answer in the background" });
  }
}

const geminiActions = new Set(["generateContent", "streamGenerateContent", "countTokens"]);

/** Gemini says model and action in the path: `gemini-2.5-flash:streamGenerateContent`. */
function addressOf(request: FastifyRequest): Address {
  const { target } = request.params as { target?: string };
  if (target === undefined) return {};
  const colon = target.lastIndexOf(":");
  const action = target.slice(colon + 1);
  if (colon < 1 || !geminiActions.has(action))
    throw invalidRequest(`The action "${action}" is not served here.`);
  const { alt } = request.query as { alt?: unknown };
  return {
    model: modelOf(target.slice(0, colon), request.raw.url),
    stream: action === "streamGenerateContent",
    sse: alt === "sse",
  };
}

/** A name in the path must stand there as it is: what is decoded once here could be decoded again elsewhere. */
function modelOf(name: string, url = ""): string {
  const [path = ""] = url.split("?");
  const escapes = path.match(/%../g) ?? [];
  // Some clients write the colon before the action, and those of fine-tuned names, as an escape.
  if (name.includes("%") || name.includes("/") || escapes.some((escape) => !/^%(?:3A|40)$/i.test(escape)))
    throw modelNotFound(name);
  return name;
}

/** Headers by which a client asks its own vendor for more; they mean nothing to any other dialect. */
function forwardable(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ["anthropic-beta", "anthropic-version", "openai-beta"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

/** Every dialect that has doors here. */
export const chatDialects: readonly Dialect[] = Object.values(dialects);
