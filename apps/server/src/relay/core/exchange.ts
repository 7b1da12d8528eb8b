import type { UpstreamError } from "#dialects/ir.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
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
  type TriedTargets,
} from "#relay/core/routing/route.ts";
import {
  type EncodedRequest,
  type FailedAttempt,
  attempt,
  transportFailure,
} from "#relay/core/upstream/ask.ts";
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
}

/** A kind of call that records nothing: it counts tokens, or is about data that a provider keeps. */
export interface FreeExchange<Answer extends object, Received extends ReceivedCall> extends Pick<
  Exchange<Answer, EncodedRequest, Received>,
  "target" | "prepare" | "suits" | "encode"
> {
  read(response: UpstreamResponse, routed: RoutedCall<Received>): Promise<Answer | FailedAttempt>;
  /**
   * Returns the response when no target served the call; undefined for the usual error.
   * @param last error of the last target; undefined when none was tried
   */
  otherwise?(last: UpstreamError | undefined): Answer | undefined;
}

/** Opens a session at the target of an attempt, instead of reading one response. */
export type OpenSession<Session extends object, Received extends ReceivedCall> = (
  routed: RoutedCall<Received>,
  bill: CallBill,
) => Promise<Session | FailedAttempt>;

/**
 * Processes one call of an authenticated client: plans, reserves, tries channels, settles. Uses channels and
 * the ledger but no HTTP server objects, so tests and jobs can call it too.
 */
export function relay<
  Answer extends object,
  Sent extends EncodedRequest = EncodedRequest,
  Received extends ReceivedCall = ReceivedCall,
>(services: RelayServices, received: Received, exchange: Exchange<Answer, Sent, Received>): Promise<Answer> {
  return runCall<Answer, Received>(services, received, {
    ...exchange,
    attempt: attemptOf(services, exchange),
  });
}

/** Processes a call that records nothing in the same way. */
export function relayFree<Answer extends object, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  exchange: FreeExchange<Answer, Received>,
): Promise<Answer> {
  const free: Received = { ...received, books: "none" };
  return runCall<Answer, Received>(services, free, {
    ...exchange,
    attempt: attemptOf<Answer, EncodedRequest, Received>(services, {
      encode: (routed) => exchange.encode(routed),
      async read(response, _sent, routed, bill) {
        const answer = await exchange.read(response, routed);
        if ("error" in answer) return answer;
        bill.accept(routed);
        await bill.pass({ outcome: "complete", status: 200 });
        return answer;
      },
    }),
  });
}

/** Processes a call that opens a session in the same way. */
export function relaySession<Session extends object, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  open: OpenSession<Session, Received>,
): Promise<Session> {
  return runCall<Session, Received>(services, received, {
    async attempt(routed, bill) {
      try {
        return await open(routed, bill);
      } catch (error) {
        return { error: transportFailure(error) };
      }
    },
  });
}

/** The steps of a call that depend on its kind. */
interface CallSteps<Answer extends object, Received extends ReceivedCall> extends Pick<
  FreeExchange<Answer, Received>,
  "target" | "prepare" | "suits" | "otherwise"
> {
  attempt(routed: RoutedCall<Received>, bill: CallBill): Promise<Answer | FailedAttempt>;
}

function attemptOf<Answer extends object, Sent extends EncodedRequest, Received extends ReceivedCall>(
  services: RelayServices,
  { encode, read }: Pick<Exchange<Answer, Sent, Received>, "encode" | "read">,
): CallSteps<Answer, Received>["attempt"] {
  return (routed, bill) =>
    attempt(
      services,
      routed.target,
      {
        encode: () => withTrace(encode(routed), routed.planned.received),
        read: (response, sent) => read(response, sent, routed, bill),
      },
      bill.connection,
    );
}

/** Whether the call has a reservation and a charge. */
function recordsCharge({ books = "charge" }: ReceivedCall): boolean {
  return books === "charge";
}

async function runCall<Answer extends object, Received extends ReceivedCall>(
  services: RelayServices,
  received: Received,
  steps: CallSteps<Answer, Received>,
): Promise<Answer> {
  const bill = new CallBill(services, received);
  try {
    if (recordsCharge(received)) services.drains.requireFew(received.caller.userId);
    let planned =
      steps.target === undefined ? planCall(services, received) : planFor(received, steps.target());
    bill.plan(planned);
    await learnSession(services, planned);
    // Watch before reserving, so that a change in between is noticed by the watch or by the reservation.
    bill.connection.open();
    const reserve = received.sessionBudget === undefined ? reserveCall : reserveInSession;
    planned = await reserve(services, bill, planned);
    const changed = await steps.prepare?.(planned);
    if (changed !== undefined) {
      const reserved = planned.plan.worstCase;
      planned = replanCall(services, planned, { received: changed });
      bill.plan(planned);
      if (planned.plan.worstCase > reserved) await bill.raise(planned);
    }
    return await tryTargets(services, planned, bill, steps);
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
}

/** Tries one target after the other until one serves the call. */
async function tryTargets<Answer extends object, Received extends ReceivedCall>(
  services: RelayServices,
  planned: PlannedCall<Received>,
  bill: CallBill,
  steps: CallSteps<Answer, Received>,
): Promise<Answer> {
  const { received, model } = planned;
  const { attempts, connection } = bill;
  const account = received.caller.userId;
  const health = recordsCharge(received) ? services.health : undefined;
  const tried = createTriedTargets(received);
  const failures: FailedTarget[] = [];
  attempts.notePaused(pausedChannels(services, planned));
  while (true) {
    // The request has not reached a provider, so nothing is owed.
    const gone = connection.gone();
    if (gone !== undefined) throw gone;
    const target = nextTarget(services, planned, tried);
    if (target === undefined) {
      attempts.noteSkipped(skippedChannels(services, planned, tried, attempts.paused));
      break;
    }
    if (steps.suits?.(target) === false) continue;
    const routed: RoutedCall<Received> = { planned, target, startedAt: now() };
    connection.begin(health?.enter(target.channel, model));
    const answer = await steps.attempt(routed, bill);
    if (!("error" in answer)) {
      health?.succeeded(target, model, account);
      keepSession(services, routed);
      for (const failed of failures) health?.servedElsewhere(failed.target, model, failed.error, account);
      return answer;
    }
    connection.leaveSlot();
    await requireClient(routed, bill);
    const error = recordFailure(services, routed, bill, tried, answer.error);
    failures.push({ target, error });
    if (!mayRetry(services.settings.current(), error, attempts.notes.length, now() - received.startedAt))
      break;
  }
  const last = failures.at(-1)?.error;
  const other = steps.otherwise?.(last);
  if (other === undefined)
    throw last === undefined ? noChannelError(services, planned) : explain(last, model);
  await bill.pass({ outcome: "complete", status: 200 });
  return other;
}

interface FailedTarget {
  readonly target: PricedTarget;
  readonly error: UpstreamError;
}

/**
 * Throws when the client is gone or the account may no longer call. We have cancelled the request then. The provider
 * may have worked on it, which is charged. A request that it rejected costs nothing, and neither does one that this
 * node does not finish: nothing was delivered.
 */
async function requireClient(routed: RoutedCall, bill: CallBill): Promise<void> {
  const { connection } = bill;
  const gone = connection.gone();
  if (gone === undefined) return;
  if (connection.isCancelled && !connection.isInterrupted && recordsCharge(routed.planned.received))
    await bill.settle({ routed, outcome: "client-left", reported: undefined, delivered: emptyTally() });
  throw gone;
}

/**
 * Records a failed attempt: in the log, for the choice of the next target, and for the health of the channel if the
 * call is charged. Returns the error as clients may see it.
 */
function recordFailure(
  services: RelayServices,
  routed: RoutedCall,
  { attempts, connection }: CallBill,
  tried: TriedTargets,
  failed: UpstreamError,
): UpstreamError {
  const { planned, target } = routed;
  const { received, model } = planned;
  const { RetryCooldownSeconds, AutomaticDisableChannelEnabled, DisableChannelKeywords } =
    services.settings.current();
  const failure = asKeyFailure(failed, DisableChannelKeywords, { raw: received.raw, model });
  const error = errorForClients(failure, target);
  attempts.add(routed, connection, errorForOperators(failure, target));
  keepOtherKeys(tried, routed, error);
  attempts.noteSkipped(skippedChannels(services, planned, tried, attempts.paused));
  if (recordsCharge(received))
    services.health.failed(target, model, error, {
      account: received.caller.userId,
      cooldownSeconds: RetryCooldownSeconds,
      mayDisable: AutomaticDisableChannelEnabled && target.channel.autoDisable,
    });
  return error;
}

/** Adds the headers that continue the call's trace at the provider, if the operator allows that. */
export function withTrace<Sent extends EncodedRequest>(sent: Sent, { trace }: ReceivedCall): Sent {
  const headers = trace?.beginAttempt();
  if (headers === undefined) return sent;
  return { ...sent, request: { ...sent.request, headers: { ...sent.request.headers, ...headers } } };
}

/** Records a call that was rejected before it was planned. */
export function noteRefusal(services: RelayServices, received: ReceivedCall, error: GatewayError): void {
  const isModelKnown = services.candidates.find(received.caller.group, received.model).length > 0;
  new CallBill(services, received).refuse(error, isModelKnown);
}
