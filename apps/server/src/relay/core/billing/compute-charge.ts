/**
 * What a call is charged at its end: the usage that is owed (`settle.ts`) at the terms of the target that served it. Decides
 * nothing about the reservation, and writes nothing.
 */
import type { Bill } from "@gateway/shared/usage/log";
import type { Usage } from "#dialects/ir.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import { imageFactor } from "#domain/pricing/image-tokens.ts";
import { type ActivePrice, computeBill, reservedTier } from "#domain/pricing/pricing.ts";
import { now } from "#platform/clock.ts";
import { alwaysSearches } from "#providers/provider.ts";
import type {
  CachedCall,
  CallKind,
  CallQuote,
  EndedCall,
  PlannedCall,
  PricedTarget,
  PricingTerms,
  ReceivedCall,
  RoutedCall,
} from "#relay/core/call.ts";
import { withOneSearch } from "#relay/core/routing/price-options.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { CallConnection } from "#relay/core/upstream/call-connection.ts";
import type { DrainExtent } from "#relay/core/upstream/drains.ts";
import type { Attempts } from "./attempts.ts";
import { type CallEnd, computeOwedUsage } from "./settle.ts";

/** What is known about a call so far. */
export interface CallState {
  readonly received: ReceivedCall;
  readonly attempts: Attempts;
  readonly connection: CallConnection;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Undefined until the call is planned. Names of unknown models are client input and not for statistics. */
  planned: PlannedCall | undefined;
  /** The target whose response was read last, or the cached response. */
  routed: RoutedCall | CachedCall | undefined;
  /** Service tier named at the start of the response. */
  reportedTier: string | undefined;
  /** Marks for the provider's prompt cache that the gateway added to the request. */
  marks: number;
}

/** The charge of a call, for its log row. */
export type CallCharge = Pick<CallRecord, "usage" | "estimated" | "bill"> & { points: bigint };

interface OwedCharge extends CallCharge {
  usage: Usage;
  /** The usage with the service tier that is billed. */
  priced: Usage;
}

type Reasoning = Pick<RelayServices, "reasoners">;

/** Returns the target that has the call; undefined before the first, and for a cached response. */
export function targetOf({ routed }: Pick<CallState, "routed">): PricedTarget | undefined {
  return routed !== undefined && "target" in routed ? routed.target : undefined;
}

/** Returns the terms of the target, or those under which a cached response was made. */
export function termsOf(routed: RoutedCall | CachedCall): PricingTerms {
  return "target" in routed ? routed.target : routed.terms;
}

/** Returns the amount owed at this end with its bill; undefined when the call costs nothing. */
export function computeCharge(
  services: Reasoning,
  state: CallState,
  ended: EndedCall,
): OwedCharge | undefined {
  const { received, connection, marks } = state;
  const { calls = received.calls, estimate = estimateOf(state) } = ended;
  const { price, groupRatio } = termsOf(ended.routed);
  const target = targetOf(state);
  const owed = computeOwedUsage({
    ...hiddenOutputOf(services, state, ended),
    isCut: connection.isCut,
    reach: connection.reach,
    ended: ended.outcome,
    reported: withImpliedSearch(target, ended.reported),
    final: ended.final === true,
    delivered: ended.delivered,
    counted: ended.counted,
    reserved: estimate,
  });
  if (owed === undefined) return undefined;
  const { usage, estimated, implausible } = owed;
  const tier = tierOf(state, ended.reported, price);
  const priced = tier === undefined ? usage : { ...usage, tier };
  const computed = computeBill(price, groupRatio, priced, calls);
  const { quote } = received;
  const { points, bill: kept } = quote === undefined ? computed : keepQuote(quote, computed);
  const bill = marks === 0 ? kept : { ...kept, marks };
  return {
    usage,
    estimated,
    priced,
    points,
    bill: implausible === undefined ? bill : { ...bill, implausible },
  };
}

/**
 * Returns how much of the response must be read to learn what the call costs. Only its end shows hidden reasoning, files in
 * the input, the result of what the gateway itself runs, and what a provider stores. A task and a response in the
 * background are continued by their provider.
 */
export function drainExtentOf(services: Reasoning, state: CallState): DrainExtent {
  const isByGateway = state.routed !== undefined && "byGateway" in state.routed;
  const kind = kindOf(services, state);
  if (kind === "task" || state.received.background === true) return "always";
  const { window, audio = 0, image = 0 } = estimateOf(state).mostInput ?? {};
  const isDear = image > 0 && imageFactor(modelOf(state)) > 1;
  const hasFiles = window !== undefined || audio > 0 || isDear;
  return isByGateway || kind === "storage" || kind === "reasoning" || hasFiles ? "end" : "usage";
}

/** A model that reasons may reason whatever was requested, and its text does not show that. */
function kindOf({ reasoners }: Reasoning, state: CallState): CallKind {
  const { kind = "text", needs } = state.received;
  const isChat = needs === "chat" || needs === "responses";
  if (kind !== "text" || !isChat) return kind;
  return reasoners.reasons(modelOf(state)) ? "reasoning" : kind;
}

function modelOf(state: CallState): string {
  return targetOf(state)?.upstreamModel ?? state.planned?.model ?? state.received.model;
}

/** Returns what is known of output that the text of a response hides. A complete response reports it. */
function hiddenOutputOf(
  { reasoners }: Reasoning,
  state: CallState,
  { outcome }: EndedCall,
): Pick<CallEnd, "kind" | "hidden"> {
  const { received, attempts, startedAt } = state;
  if (outcome === "complete") return { kind: received.kind ?? "text", hidden: 0 };
  const hiddenMs = (attempts.firstTextAt ?? now()) - startedAt;
  return {
    kind: kindOf({ reasoners }, state),
    hidden: reasoners.writtenIn(targetOf(state)?.upstreamModel ?? "", hiddenMs),
  };
}

function estimateOf({ planned, received }: CallState): Estimate {
  return planned?.plan.estimate ?? received.estimate;
}

/** Adds the search of a model that searches for every response, if its provider did not count it. */
function withImpliedSearch(target: PricedTarget | undefined, reported: Usage | undefined): Usage | undefined {
  if (reported === undefined || target === undefined) return reported;
  return alwaysSearches(target.channel.provider, target.upstreamModel) ? withOneSearch(reported) : reported;
}

/**
 * Returns the tier named by the response. If it broke off before that, bills the dearer tier that was
 * requested.
 */
function tierOf(state: CallState, reported: Usage | undefined, price: ActivePrice): string | undefined {
  const tier = reported?.tier ?? state.reportedTier;
  const { tier: requested } = estimateOf(state);
  return (
    tier ?? (reported === undefined && requested !== "auto" ? reservedTier(price, requested) : undefined)
  );
}

interface ComputedBill {
  readonly points: bigint;
  readonly bill: Bill;
}

/** Returns the bill of a call with a quote. It is charged at most the quote; the rest is the operator's. */
export function keepQuote({ id, amount }: CallQuote, { points, bill }: ComputedBill): ComputedBill {
  const quote = { id, amount: String(amount) };
  if (points <= amount) return { points, bill: { ...bill, quote } };
  return { points: amount, bill: { ...bill, quote, uncollected: String(points - amount) } };
}
