import type { UpstreamError } from "#dialects/ir.ts";
import type { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import { reserveCall, reserveInSession } from "#relay/core/billing/reserve.ts";
import { planCall, replanCall, planFor } from "#relay/core/routing/plan.ts";
import { explain, mayRetry } from "#relay/core/routing/retry.ts";
import {
  keepOtherKeys,
  keepSession,
  learnSession,
  nextTarget,
  createTriedTargets,
  noChannelError,
  pausedChannels,
  skippedChannels,
} from "#relay/core/routing/route.ts";
import {
  type EncodedRequest,
  type FailedAttempt,
  attempt,
  transportFailure,
} from "#relay/core/upstream/ask.ts";
import { requestIdIn } from "#relay/core/upstream/call-connection.ts";
import { asKeyFailure } from "#relay/core/upstream/key-evidence.ts";
import { errorForClients, errorForOperators } from "#relay/core/upstream/scrub.ts";
import type { PlannedCall, PricedTarget, ReceivedCall, RoutedCall } from "./call.ts";
import type { RelayServices } from "./services.ts";

/** One kind of call: encodes the request for a target and reads its response. All other steps are shared. */
export interface Exchange<
  Answer extends object,
  Sent extends EncodedRequest = EncodedRequest,
  Received extends ReceivedCall = ReceivedCall,
> {
  /**
   * Returns the only possible target, for data that a provider keeps for one account. Throws when it no
   * longer exists.
   */
  target?(): Pick<PricedTarget, "channel" | "key">;
  /**
   * Called after the minimum cost is reserved. Returns the call when its request or estimate must change;
   * otherwise undefined.
   */
  prepare?(planned: PlannedCall<Received>): Promise<Received | undefined>;
  /** Whether this target can serve the call. Default: every target of the plan can. */
  suits?(target: PricedTarget): boolean;
  /** Must be pure. */
  encode(routed: RoutedCall<Received>): Sent;
  /**
   * Returns a response whose bill is closed, or closes with its last piece; or the reason for the failure.
   */
  read(
    response: UpstreamResponse,
    sent: Sent,
    routed: RoutedCall<Received>,
    bill: CallBill,
  ): Promise<Answer | FailedAttempt>;
  /**
   * Returns the response of a call that records nothing when no target served it; undefined for the usual
   * error.
   * @param last error of the last target; undefined when none was tried
   */
  otherwise?(last: UpstreamError | undefined): Answer | undefined;
}

/** A kind of call that opens a session instead of reading one response. */
export interface SessionExchange<Session extends object, Received extends ReceivedCall> extends Pick<
  Exchange<Session, EncodedRequest, Received>,
  "target" | "prepare" | "suits" | "otherwise"
> {
  open(routed: RoutedCall<Received>, bill: CallBill): Promise<Session | FailedAttempt>;
}

/**
 * Processes one call of an authenticated client: plans, reserves, tries channels, settles. Uses channels and
 * the ledger but no HTTP server objects, so tests and jobs can call it too.
 */
export async function relay<
  Answer extends object,
  Sent extends EncodedRequest = EncodedRequest,
  Received extends ReceivedCall = ReceivedCall,
>(
  services: RelayServices,
  received: Received,
  exchange: Exchange<Answer, Sent, Received> | SessionExchange<Answer, Received>,
): Promise<Answer> {
  const bill = new CallBill(services, received);
  try {
    const busy = received.books === undefined ? services.drains.refusal(received.caller.userId) : undefined;
    if (busy !== undefined) throw busy;
    let planned =
      exchange.target === undefined ? planCall(services, received) : planFor(received, exchange.target());
    bill.plan(planned);
    await learnSession(services, planned);
    // Watch before reserving, so that a change in between is noticed by the watch or by the reservation.
    bill.connection.open();
    const hasBudget = received.sessionBudget !== undefined && received.books !== "none";
    planned = await (hasBudget ? reserveInSession : reserveCall)(services, bill, planned);
    const changed = await exchange.prepare?.(planned);
    if (changed !== undefined) {
      const reserved = planned.plan.worstCase;
      planned = replanCall(services, planned, changed);
      bill.plan(planned);
      if (planned.plan.worstCase > reserved) await bill.raise(planned);
    }
    return await serve(services, planned, bill, exchange);
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
}

async function openSession<Session extends object, Received extends ReceivedCall>(
  exchange: SessionExchange<Session, Received>,
  routed: RoutedCall<Received>,
  bill: CallBill,
): Promise<Session | FailedAttempt> {
  try {
    return await exchange.open(routed, bill);
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

async function serve<Answer extends object, Sent extends EncodedRequest, Received extends ReceivedCall>(
  services: RelayServices,
  planned: PlannedCall<Received>,
  bill: CallBill,
  exchange: Exchange<Answer, Sent, Received> | SessionExchange<Answer, Received>,
): Promise<Answer> {
  const {
    RetryTimes,
    RetryTimeOut,
    RetryCooldownSeconds,
    AutomaticDisableChannelEnabled,
    DisableChannelKeywords,
  } = services.settings.current();
  const budget = { times: RetryTimes, withinMs: RetryTimeOut * 1_000 };
  const { received, model } = planned;
  const { books = "charge" } = received;
  const account = received.caller.userId;
  const { attempts, connection } = bill;
  // Only charged calls affect the health of a channel.
  const health = books === "charge" ? services.health : undefined;
  const failures: { target: PricedTarget; error: UpstreamError }[] = [];
  const tried = createTriedTargets(received);
  let last: UpstreamError | undefined;
  attempts.begin(pausedChannels(services, planned));
  while (true) {
    // The request has not reached a provider, so nothing is owed.
    const goneBefore = connection.gone();
    if (goneBefore !== undefined) throw goneBefore;
    const target = nextTarget(services, planned, tried);
    if (target === undefined) {
      attempts.skip(skippedChannels(services, planned, tried, attempts.paused));
      const other = await instead(bill, exchange, last);
      if (other !== undefined) return other;
      throw last === undefined ? noChannelError(services, planned) : explain(last, model);
    }
    if (exchange.suits?.(target) === false) continue;
    const routed: RoutedCall<Received> = { planned, target, startedAt: now() };
    const { channel } = target;
    connection.begin(health?.enter(channel, model));
    const answer = await ("open" in exchange
      ? openSession(exchange, routed, bill)
      : attempt(
          services,
          target,
          {
            encode: () => withTrace(exchange.encode(routed), received),
            read: (response, sent) => exchange.read(response, sent, routed, bill),
          },
          connection,
        ));
    if (!("error" in answer)) {
      health?.succeeded(target, model, account);
      keepSession(services, routed);
      for (const failure of failures) health?.servedElsewhere(failure.target, model, failure.error, account);
      return answer;
    }
    connection.leaveSlot();
    const gone = connection.gone();
    if (gone !== undefined) {
      // We cancelled after the request was sent, so the provider may have worked on it. A request it rejected
      // costs nothing, and neither does one that this node does not finish: nothing was delivered.
      if (connection.isCancelled && !connection.isInterrupted && books === "charge") {
        const delivered = { narrow: 0, wide: 0 };
        await bill.settle({ routed, outcome: "client-left", reported: undefined, delivered });
      }
      throw gone;
    }
    const failure = asKeyFailure(answer.error, DisableChannelKeywords, { raw: received.raw, model });
    attempts.add(routed, connection, errorForOperators(failure, target));
    last = errorForClients(failure, target);
    keepOtherKeys(tried, routed, last);
    failures.push({ target, error: last });
    attempts.skip(skippedChannels(services, planned, tried, attempts.paused));
    health?.failed(target, model, last, {
      account,
      cooldownSeconds: RetryCooldownSeconds,
      mayDisable: AutomaticDisableChannelEnabled && channel.autoDisable,
    });
    if (mayRetry(last, attempts.notes.length, now() - received.startedAt, budget)) continue;
    const other = await instead(bill, exchange, last);
    if (other !== undefined) return other;
    throw explain(last, model);
  }
}

/** Adds the headers that continue the call's trace at the provider, if the operator allows that. */
export function withTrace<Sent extends EncodedRequest>(sent: Sent, { trace }: ReceivedCall): Sent {
  const headers = trace?.beginAttempt();
  if (headers === undefined) return sent;
  return { ...sent, request: { ...sent.request, headers: { ...sent.request.headers, ...headers } } };
}

/** Returns the response without a target, for a call that records nothing. */
async function instead<Answer extends object>(
  bill: CallBill,
  { otherwise }: Pick<Exchange<Answer>, "otherwise">,
  last: UpstreamError | undefined,
): Promise<Answer | undefined> {
  const answer = otherwise?.(last);
  if (answer !== undefined) await bill.pass({ outcome: "complete", status: 200 });
  return answer;
}

/** Records a call that was rejected before it was planned. */
export function noteRefusal(services: RelayServices, received: ReceivedCall, error: GatewayError): void {
  const isModelKnown = services.candidates.find(received.caller.group, received.model).length > 0;
  new CallBill(services, received).refuse(error, isModelKnown);
}

/**
 * Returns the headers of the response. Of the provider's headers, only its request id (for its support desk)
 * and those matching `own` are passed on.
 * @param own names of headers that this client expects from its provider
 */
export function answerHeaders(
  upstream: Record<string, string | string[] | undefined>,
  dropped: readonly string[],
  own?: RegExp,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (own !== undefined)
    for (const name in upstream) {
      const value = upstream[name];
      if (typeof value === "string" && own.test(name)) headers[name] = value;
    }
  const id = requestIdIn(upstream);
  if (id !== undefined) headers["x-upstream-request-id"] = headerText(id);
  if (dropped.length > 0) headers["x-gateway-dropped"] = headerText(dropped.join(", "));
  return headers;
}

/** Returns the headers of a JSON response that passes as bytes. */
export function jsonHeaders({ headers }: Pick<UpstreamResponse, "headers">): Record<string, string> {
  const length = headers["content-length"];
  return {
    "content-type": "application/json; charset=utf-8",
    ...(typeof length === "string" ? { "content-length": length } : {}),
  };
}

/**
 * Makes a text safe for a header. Field names are chosen by the caller and may contain invalid characters.
 */
function headerText(text: string): string {
  return text.slice(0, MAX_HEADER).replaceAll(/[^\x20-\x7e]/g, "?");
}

const MAX_HEADER = 2_000;
