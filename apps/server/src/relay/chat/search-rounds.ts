/**
 * The requests of a chat call with web searches of the gateway: all of them go to one target and belong to one bill. What
 * the model reads and writes in between is decided by `SearchTurn`.
 */
import type { Settings } from "@gateway/shared/site/settings";
import type { UpstreamError } from "#dialects/ir.ts";
import { mayContainSearches } from "#dialects/tools/search-forms.ts";
import { mapModel } from "#domain/channels/selection/active-channel.ts";
import { now } from "#platform/clock.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { PlannedCall, RoutedCall } from "#relay/core/call.ts";
import { withTrace } from "#relay/core/exchange.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { attempt, type Target } from "#relay/core/upstream/ask.ts";
import { errorForOperators } from "#relay/core/upstream/scrub.ts";
import { upstreamFor } from "#relay/core/upstream/send.ts";
import {
  requireFewDomains,
  runsSearch,
  type SearchOffer,
  searchOfferFor,
  withoutSearches,
  withSearchFunction,
} from "#relay/search/search-offer.ts";
import { SearchTurn } from "#relay/search/search-turn.ts";
import type { ChatResponseSource } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { encodeChat, type EncodedChat, type SentChatCall } from "./encode-chat.ts";

/** A call as it is sent to one target. */
export interface SearchingCall {
  readonly call: SentChatCall;
  /** Set when the gateway runs the searches of the call at this target. */
  readonly offer?: SearchOffer;
}

/**
 * Returns the call for a target: with a function for the gateway's search if the provider does not search, and without
 * the gateway's earlier searches in a form that the provider does not know.
 */
export function withSearch(call: SentChatCall, target: Target, settings: Settings): SearchingCall {
  const offer = offerFor(call, settings);
  if (offer !== undefined && !isNative(call, target))
    return {
      call: { ...call, request: withSearchFunction(call.request, offer), rewritten: true, isDecoded: true },
      offer,
    };
  // The earlier part of a rewritten conversation is not in the body.
  if (call.rewritten !== true && !mayContainSearches(call.raw)) return { call };
  return { call: { ...call, request: withoutSearches(call.request), rewritten: true } };
}

/** A response in the background is continued by its provider, so the gateway cannot search in between. */
function offerFor({ request, background }: ChatCall, settings: Settings): SearchOffer | undefined {
  return background === true ? undefined : searchOfferFor(request, settings);
}

function isNative({ client, request }: ChatCall, { channel, upstreamModel }: Target): boolean {
  return runsSearch(channel.provider, upstreamFor(channel, client.id, upstreamModel, request));
}

/**
 * Returns the call with its searches in the estimate; undefined when the gateway runs none at any channel of the plan. Throws
 * `invalid_request` for a search with too many domains.
 */
export function withSearchEstimate(
  call: ChatCall,
  { model, plan }: PlannedCall<ChatCall>,
  settings: Settings,
): ChatCall | undefined {
  const offer = offerFor(call, settings);
  if (offer === undefined) return undefined;
  const isOurs = plan.routeGroups.some(({ channels }) =>
    channels.some(
      (channel) =>
        !isNative(call, { channel, key: undefined, upstreamModel: mapModel(channel, model).upstream }),
    ),
  );
  if (!isOurs) return undefined;
  requireFewDomains(offer);
  return { ...call, estimate: { ...call.estimate, searches: offer.uses } };
}

/** What the rounds of a call need. */
export interface RoundsInput {
  /** The call as it was sent in the first round. */
  readonly call: SentChatCall;
  readonly sent: EncodedChat;
  readonly offer: SearchOffer;
  readonly routed: RoutedCall<ChatCall>;
  readonly bill: CallBill;
}

/** The rounds of one response. */
export interface SearchRounds {
  readonly turn: SearchTurn;
  /** Sends the request of the next round. */
  send(): Promise<ChatResponseSource | { error: UpstreamError }>;
}

export function searchRounds(services: RelayServices, input: RoundsInput): SearchRounds {
  const { call, sent, offer, routed, bill } = input;
  const { target } = routed;
  const { connection, attempts } = bill;
  const { estimate } = routed.planned.plan;
  const turn = new SearchTurn({
    client: call.client.id,
    offer,
    origin: sent.origin,
    input: estimate.input,
    output: estimate.output,
    callId: crypto.randomUUID().replaceAll("-", ""),
    search: (text) =>
      services.webSearch.search(
        routed.planned.received.caller.userId,
        {
          text,
          count: services.settings.current().WebSearchResults,
          allowedDomains: offer.allowedDomains,
          blockedDomains: offer.blockedDomains,
        },
        abortSignalOf(connection.signal),
      ),
  });
  return {
    turn,
    async send() {
      const startedAt = now();
      const next = { ...call, request: turn.nextRequest(call.request) };
      const answer = await attempt<ChatResponseSource, EncodedChat>(
        services,
        target,
        {
          encode: () =>
            withTrace(encodeChat(next, target, services.settings.current()), routed.planned.received),
          read: (response, { upstream, repair, origin }) =>
            Promise.resolve({ response, upstream, repair, origin }),
        },
        {
          signal: connection.signal,
          // A refusal of this request does not undo what earlier rounds have delivered.
          sent: () => {},
          answered(status, headers, transport) {
            if (isSuccess({ status })) connection.answered(status, headers, transport);
          },
          received: (bytes) => connection.received(bytes),
        },
      );
      const error = "error" in answer ? errorForOperators(answer.error, target) : undefined;
      attempts.add({ ...routed, startedAt }, connection, error);
      if (error === undefined) turn.beginRound();
      return answer;
    },
  };
}

function isSuccess({ status }: Pick<UpstreamResponse, "status">): boolean {
  return status >= 200 && status < 300;
}
