import { phrasesOf } from "@gateway/shared/phrase-list";
import type { Settings } from "@gateway/shared/site/settings";
import type { ChatRequest } from "#dialects/ir.ts";
import { withLimit } from "#dialects/usage/cost-fields.ts";
import { tierOf } from "#dialects/usage/service-tier.ts";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { refusal } from "#providers/refusal.ts";
import { startBackground } from "#relay/background/background.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import { chatKind } from "#relay/core/billing/settle.ts";
import type { Answer, PlannedCall, PricedTarget, RoutedCall } from "#relay/core/call.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import { createJsonReader, passBytes } from "#relay/core/response/pass-bytes.ts";
import { startPieces } from "#relay/core/response/pieces.ts";
import { relayAndRecord } from "#relay/core/response/relay-and-record.ts";
import { jsonHeaders, selectResponseHeaders } from "#relay/core/response/response-headers.ts";
import { mayMark } from "#relay/core/routing/plan.ts";
import { priceOptionsOf } from "#relay/core/routing/price-options.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { FailedAttempt } from "#relay/core/upstream/ask.ts";
import { finish, readBody } from "./body.ts";
import type { Marking } from "./cache-marks/mark-prompt.ts";
import type { ChatCall } from "./chat-call.ts";
import { type EncodedChat, type SentChatCall, encodeChat, hasOnlyTexts } from "./encode-chat.ts";
import { fetchAhead } from "./fetch-ahead.ts";
import { hasFileAddresses } from "./fit-request.ts";
import { openSearchStream, readSearchBody } from "./search-response.ts";
import { type SearchingCall, searchRounds, withSearch, withSearchEstimate } from "./search-rounds.ts";
import { openStream } from "./stream.ts";

/** Relays a chat call from any client dialect to any upstream dialect, streamed or whole. */
export async function relayChat(services: RelayServices, requested: ChatCall): Promise<Answer> {
  const kind = chatKind(requested.request, requested.estimate);
  const received: ChatCall = { ...requested, kind, canLimitOutput: true };
  obeyPolicy(services, received);
  return relayAndRecord<SentChat, ChatCall>(services, received, {
    async prepare(planned) {
      if (takesMarks(planned)) await services.prompts.learn(promptName(planned));
      const { request } = planned.received;
      const fetched =
        !hasOnlyTexts(request) && hasFileAddresses(request)
          ? await fetchAhead(services, callToSend(planned), planned)
          : undefined;
      if (request.serverTools === undefined) return fetched;
      const call = fetched ?? planned.received;
      return withSearchEstimate(call, planned, services.settings.current()) ?? fetched;
    },
    encode({ planned, target }) {
      const call = { ...callToSend(planned), marking: markingOf(services, planned, target) };
      const settings = services.settings.current();
      // Earlier searches of the gateway are parts of the conversation.
      const hasSearches = call.request.serverTools !== undefined || !hasOnlyTexts(call.request);
      const search: SearchingCall = hasSearches ? withSearch(call, target, settings) : { call };
      const encoded = encodeChat(search.call, target, settings);
      return { ...encoded, dropped: [...encoded.dropped, ...(search.offer?.dropped ?? [])], call, search };
    },
    read: (response, sent, routed, bill) => readChat(services, response, sent, routed, bill),
  });
}

/** A call that was encoded for one target. */
interface SentChat extends EncodedChat {
  /** The call of the client, which its response is encoded for. */
  call: SentChatCall;
  search: SearchingCall;
}

/** Returns the call as it is sent: with the output limit that the balance allows, and the reserved estimate. */
function callToSend({ received, plan: { estimate, outputLimit } }: PlannedCall<ChatCall>): SentChatCall {
  if (outputLimit === undefined) return estimate === received.estimate ? received : { ...received, estimate };
  return {
    ...received,
    estimate,
    outputLimit,
    body: withLimit(received.client.id, received.body, outputLimit),
    request: { ...received.request, maxOutputTokens: outputLimit },
  };
}

/** Returns whether the gateway may mark the prompt of a call of a session at one of the channels. */
function takesMarks({ received, model, plan }: PlannedCall<ChatCall>): boolean {
  return (
    received.helpsPromptCache === true &&
    plan.routeGroups.some(({ channels }) =>
      priceOptionsOf(channels, model).some(({ reserves }) => reserves.marks),
    ) &&
    received.session?.() !== undefined
  );
}

/** Returns the name under which the prompts of a session are remembered: its agents have different ones. */
function promptName({ received, model }: PlannedCall<ChatCall>): string {
  return `${received.session?.() ?? ""}:${received.sessionNote?.()?.agent ?? ""}:${model}`;
}

function markingOf(
  services: RelayServices,
  planned: PlannedCall<ChatCall>,
  { group }: PricedTarget,
): Marking | undefined {
  if (!mayMark(services, planned.received, group)) return undefined;
  const name = promptName(planned);
  return { name, known: services.prompts.find(name), now: now() };
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
  response: UpstreamResponse,
  sent: SentChat,
  routed: RoutedCall<ChatCall>,
  bill: CallBill,
): Promise<Answer | FailedAttempt> {
  const { call, upstream, repair, origin } = sent;
  const { marking } = call;
  if (marking !== undefined && sent.prompt !== undefined) services.prompts.keep(marking.name, sent.prompt);
  bill.setMarks(sent.marks);
  const { provider } = routed.target.channel;
  const came = { response, upstream, repair, origin };
  const isOwn = upstream.id === "anthropic" && call.client.id === "anthropic";
  const { dropped = [] } = call;
  const { fieldName } = call.client;
  const headers = selectResponseHeaders(
    response.headers,
    sent.dropped.length === 0
      ? dropped
      : [...dropped, ...(fieldName ? sent.dropped.map(fieldName) : sent.dropped)],
    isOwn ? anthropicHeaders : undefined,
  );
  if (call.outputLimit !== undefined) headers["x-gateway-output-limit"] = String(call.outputLimit);
  const { tierHeader } = provider;
  bill.route(routed, tierHeader === undefined ? undefined : tierOf(response.headers[tierHeader]));
  const { offer } = sent.search;
  const rounds =
    offer === undefined
      ? undefined
      : searchRounds(services, { call: sent.search.call, sent, offer, routed, bill });
  if (call.stream) {
    const opened =
      rounds === undefined
        ? await openStream(call, came, routed, bill)
        : await openSearchStream(call, came, { routed, bill }, rounds);
    if ("error" in opened) return { error: refusal(provider, opened.error) };
    bill.accept(routed);
    const type = streamType(call.request);
    return { kind: "stream", headers: { ...headers, "content-type": type }, stream: opened.stream };
  }
  if (call.background === true) {
    const taken = await startBackground(services, response, routed, bill);
    return "error" in taken ? taken : { kind: "body", headers, body: taken.body };
  }
  const read = rounds === undefined ? await readBody(call, came) : await readSearchBody(call, came, rounds);
  if ("error" in read) return { error: refusal(provider, read.error) };
  bill.accept(routed);
  if ("large" in read) {
    const { large } = read;
    const reader = createJsonReader(read.upstream.scanResponse(), { isStrict: true });
    return {
      kind: "bytes",
      headers: { ...headers, ...jsonHeaders(large) },
      chunks: await startPieces(passBytes({ routed, bill, response: large, reader })),
    };
  }
  const { usage: reported, tally: delivered, counted } = read;
  await bill.settle({ routed, outcome: "complete", reported, delivered, counted });
  await finish(routed, bill, read.body);
  return { kind: "body", headers, body: read.body };
}

/**
 * Throws `content_policy_violation` when a user message contains a phrase that administrators forbid. The
 * error does not contain the phrase, so that no caller can learn the list by trial.
 */
export function requireAllowedContent({ messages }: ChatRequest, settings: Settings): void {
  if (!settings.EnableSafe) return;
  const phrases = phrasesIn(settings);
  if (phrases.length === 0) return;
  for (const { role, parts } of messages) {
    if (role !== "user") continue;
    for (const part of parts) {
      if (part.type !== "text") continue;
      const text = part.text.toLowerCase();
      if (phrases.some((phrase) => text.includes(phrase))) throw new GatewayError("content_policy_violation");
    }
  }
}

/**
 * Cached per settings object, which is replaced on every change, so that the list is parsed once and not per
 * call.
 */
const known = new WeakMap<Settings, readonly string[]>();

function phrasesIn(settings: Settings): readonly string[] {
  let phrases = known.get(settings);
  if (phrases === undefined) known.set(settings, (phrases = phrasesOf(settings.SafeKeyWords)));
  return phrases;
}
