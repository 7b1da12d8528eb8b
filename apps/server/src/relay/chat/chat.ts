import type { ChatRequest } from "#dialects/ir.ts";
import { withLimit } from "#dialects/usage/cost-fields.ts";
import { tierOf } from "#dialects/usage/service-tier.ts";
import { GatewayError } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http/http.ts";
import { refusal } from "#providers/refusal.ts";
import { startBackground } from "#relay/background/background.ts";
import { chatKind } from "#relay/core/billing/settle.ts";
import type { Answer } from "#relay/core/call.ts";
import { answerHeaders, jsonHeaders, noteRefusal, type Serving } from "#relay/core/exchange.ts";
import { createJsonReader, passBytes } from "#relay/core/response/pass-bytes.ts";
import { startPieces } from "#relay/core/response/pieces.ts";
import { relayWithCache } from "#relay/core/response/relay-with-cache.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { FailedAttempt } from "#relay/core/upstream/ask.ts";
import { encodeChat, type EncodedChat } from "./attempt.ts";
import { readBody } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { requireAllowedContent } from "./content-policy.ts";
import { fetchAhead, namesAddresses } from "./fetch-ahead.ts";
import { finish, openStream } from "./stream.ts";

/** Relays a chat call from any client dialect to any upstream dialect, streamed or whole. */
export function relayChat(services: RelayServices, call: ChatCall): Promise<Answer> {
  call.kind = chatKind(call.request, call.estimate);
  call.limit = limitOutput;
  return relayWithCache<EncodedChat>(
    services,
    call,
    {
      prepare(plan) {
        if (!namesAddresses(call)) return false;
        return fetchAhead(services, call, plan).then((ahead) => {
          Object.assign(call, ahead);
          return ahead !== undefined;
        });
      },
      encode: (target) => encodeChat(call, target, services.settings.current()),
      read: (response, sent, serving) => readChat(services, call, response, sent, serving),
    },
    () => obeyPolicy(services, call),
  );
}

/** One function for all calls: a closure for each keeps their bodies in memory until the next full collection. */
function limitOutput(this: ChatCall, tokens: number): void {
  this.outputLimit = tokens;
  this.body = withLimit(this.client.id, this.body, tokens);
  this.request = { ...this.request, maxOutputTokens: tokens };
}

/** Checks the content policy before anything is reserved or cached. Logs a rejection. */
function obeyPolicy(services: RelayServices, call: ChatCall): void {
  try {
    requireAllowedContent(call.request, services.settings.current());
  } catch (error) {
    if (error instanceof GatewayError) noteRefusal(services, call, error);
    throw error;
  }
}

export function streamType({ jsonArrayStream }: ChatRequest): string {
  return jsonArrayStream === true ? "application/json" : "text/event-stream; charset=utf-8";
}

/** Excludes limits and names of the channel's account, which are not the client's. */
const anthropicHeaders = /^anthropic-(?!ratelimit|priority|fast|organization|workspace)[\w-]+$/;

async function readChat(
  services: RelayServices,
  call: ChatCall,
  response: UpstreamResponse,
  sent: EncodedChat,
  serving: Serving,
): Promise<Answer | FailedAttempt> {
  const { chosen, lifecycle } = serving;
  const came = { response, upstream: sent.upstream, mender: sent.mender, origin: sent.origin };
  const isOwn = sent.upstream.id === "anthropic" && call.client.id === "anthropic";
  const { dropped = [] } = call;
  const { fieldName } = call.client;
  const headers = answerHeaders(
    response.headers,
    sent.dropped.length === 0
      ? dropped
      : [...dropped, ...(fieldName ? sent.dropped.map(fieldName) : sent.dropped)],
    isOwn ? anthropicHeaders : undefined,
  );
  if (call.outputLimit !== undefined) headers["x-gateway-output-limit"] = String(call.outputLimit);
  lifecycle.chosen = chosen;
  const { tierHeader } = chosen.channel.provider;
  lifecycle.reportedTier = tierHeader === undefined ? undefined : tierOf(response.headers[tierHeader]);
  if (call.stream) {
    const opened = await openStream(call, came, lifecycle);
    if ("error" in opened) return { error: refusal(chosen.channel.provider, opened.error) };
    serving.accept();
    const type = streamType(call.request);
    return { kind: "stream", headers: { ...headers, "content-type": type }, frames: opened.frames };
  }
  if (call.background === true) {
    const taken = await startBackground(services, call, serving, response);
    return "error" in taken ? taken : { kind: "body", headers, body: taken.body };
  }
  const read = await readBody(call, came);
  if ("error" in read) return { error: refusal(chosen.channel.provider, read.error) };
  serving.accept();
  if ("large" in read) {
    const { large, upstream } = read;
    const reader = createJsonReader(upstream.scanResponse(), { isStrict: true });
    return {
      kind: "bytes",
      headers: { ...headers, ...jsonHeaders(large) },
      chunks: await startPieces(passBytes({ chosen, lifecycle, response: large, reader })),
    };
  }
  await lifecycle.settle({ outcome: "complete", reported: read.usage, delivered: read.tally });
  await finish(call, lifecycle, read.body);
  return { kind: "body", headers, body: read.body };
}
