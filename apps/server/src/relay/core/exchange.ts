import type { UpstreamError } from "#dialects/ir.ts";
import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import type { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http/http.ts";
import { CallBill } from "./billing/call-bill.ts";
import { reserveCall } from "./billing/reserve.ts";
import { reserveInSession } from "./billing/session-budget.ts";
import type { ReceivedCall, PricedTarget } from "./call.ts";
import { makePlan, planFor, type Plan, requireModel } from "./routing/plan.ts";
import { explain, mayRetry } from "./routing/retry.ts";
import {
  keepOtherKeys,
  nextChoice,
  nothingFree,
  pausedChannels,
  sessionKey,
  skippedChannels,
} from "./routing/route.ts";
import type { RelayServices } from "./services.ts";
import { attempt, type EncodedRequest, type FailedAttempt, transportFailure } from "./upstream/ask.ts";
import { asKeyFailure } from "./upstream/key-evidence.ts";
import { requestIdIn } from "./upstream/request-id.ts";
import { errorForClients, errorForOperators } from "./upstream/scrub.ts";

/** An attempt at a target. */
export interface Serving {
  readonly chosen: PricedTarget;
  readonly lifecycle: CallBill;
  /** Milliseconds since 1970. */
  readonly begun: number;
  /**
   * Marks the call as served by this target. Called when a response has arrived.
   * @param refusal for the log, where the provider's error passes to the client
   */
  accept(refusal?: UpstreamError): void;
}

/** One kind of call: encodes the request for a target and reads its response. All other steps are shared. */
export interface Exchange<Answer extends object, Sent extends EncodedRequest = EncodedRequest> {
  /**
   * Returns the only possible target, for data that a provider keeps for one account. Throws when it no
   * longer exists.
   */
  target?(): Pick<PricedTarget, "channel" | "key">;
  /** Called after the minimum cost is reserved. Returns true when it changed the call's estimate. */
  prepare?(plan: Plan): Promise<boolean> | boolean;
  /** Whether this target can serve the call. Default: every target of the plan can. */
  suits?(target: PricedTarget): boolean;
  /** Must be pure. */
  encode(target: PricedTarget): Sent;
  /**
   * Returns a response whose bill is closed, or closes with its last piece; or the reason for the failure.
   */
  read(response: UpstreamResponse, sent: Sent, serving: Serving): Promise<Answer | FailedAttempt>;
  /**
   * Returns the response of a call that records nothing when no target served it; undefined for the usual
   * error.
   * @param last error of the last target; undefined when none was tried
   */
  otherwise?(last: UpstreamError | undefined): Answer | undefined;
}

/** A kind of call that opens a session instead of reading one response. */
export interface SessionExchange<Session extends object> extends Pick<
  Exchange<Session>,
  "target" | "prepare" | "suits" | "otherwise"
> {
  open(serving: Serving): Promise<Session | FailedAttempt>;
}

/**
 * Processes one call of an authenticated client: plans, reserves, tries channels, settles. Uses channels and
 * the ledger but no HTTP server objects, so tests and jobs can call it too.
 */
export async function relay<Answer extends object, Sent extends EncodedRequest = EncodedRequest>(
  services: RelayServices,
  call: ReceivedCall,
  exchange: Exchange<Answer, Sent> | SessionExchange<Answer>,
): Promise<Answer> {
  const lifecycle = new CallBill(services, call);
  let isReserved = false;
  try {
    const busy = call.books === undefined ? services.drains.refusal(call.caller.userId) : undefined;
    if (busy !== undefined) throw busy;
    let plan = decide(services, call, exchange);
    lifecycle.modelKnown = true;
    lifecycle.chosen = plan.only;
    call.estimate = plan.estimate;
    const learning = learnSession(services, plan, call);
    if (learning !== undefined) await learning;
    // Watch before reserving, so that a change in between is noticed by the watch or by the reservation.
    lifecycle.upstream.begin();
    if (call.books !== "none") {
      const reserve = call.sessionBudget === undefined ? reserveCall : reserveInSession;
      plan = await reserve(services, call, plan, reservationOf);
      call.estimate = plan.estimate;
      if (plan.limit !== undefined) call.limit?.(plan.limit);
      services.open.set(call.requestId, lifecycle);
    }
    isReserved = true;
    const prepared = exchange.prepare?.(plan) ?? false;
    if (prepared !== false && (await prepared)) {
      const reserved = plan.worstCase;
      plan = makePlan(services, call);
      call.estimate = plan.estimate;
      if (plan.worstCase > reserved) {
        isReserved = false;
        await services.ledger.raise(reservationOf(call, plan));
        isReserved = true;
      }
    }
    return await serve(services, call, plan, lifecycle, exchange);
  } catch (error) {
    if (isReserved) await lifecycle.fail(error);
    else {
      services.open.delete(call.requestId);
      lifecycle.refuse(error);
    }
    throw error;
  }
}

function decide(
  services: RelayServices,
  call: ReceivedCall,
  exchange: Pick<Exchange<object>, "target">,
): Plan {
  if (exchange.target !== undefined) return planFor(call, exchange.target());
  requireModel(call);
  return makePlan(services, call);
}

function reservationOf(call: ReceivedCall & { background?: boolean }, { worstCase }: Plan): ReserveInput {
  const { requestId, caller } = call;
  return {
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    amount: worstCase,
    tokenAmount: caller.unlimited ? 0n : worstCase,
    own: call.background === true,
    session: call.sessionBudget?.share,
  };
}

async function openSession<Session extends object>(
  exchange: SessionExchange<Session>,
  serving: Serving,
): Promise<Session | FailedAttempt> {
  try {
    return await exchange.open(serving);
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

function servingOf(chosen: PricedTarget, lifecycle: CallBill, begun: number): Serving {
  return {
    chosen,
    lifecycle,
    begun,
    accept(refusal) {
      lifecycle.chosen = chosen;
      lifecycle.firstByteAt ??= now();
      lifecycle.noteAttempt(chosen, begun, refusal);
    },
  };
}

async function serve<Answer extends object, Sent extends EncodedRequest>(
  services: RelayServices,
  call: ReceivedCall,
  plan: Plan,
  lifecycle: CallBill,
  exchange: Exchange<Answer, Sent> | SessionExchange<Answer>,
): Promise<Answer> {
  const {
    RetryTimes,
    RetryTimeOut,
    RetryCooldownSeconds,
    AutomaticDisableChannelEnabled,
    DisableChannelKeywords,
  } = services.settings.current();
  const budget = { times: RetryTimes, withinMs: RetryTimeOut * 1_000 };
  const { model, books = "charge" } = call;
  const account = call.caller.userId;
  // Only charged calls affect the health of a channel.
  const health = books === "charge" ? services.health : undefined;
  const failures: { chosen: PricedTarget; error: UpstreamError }[] = [];
  let last: UpstreamError | undefined;
  lifecycle.paused = pausedChannels(services, plan, call);
  while (true) {
    // The request has not reached a provider, so nothing is owed.
    const goneBefore = lifecycle.gone();
    if (goneBefore !== undefined) throw goneBefore;
    const chosen = nextChoice(services, plan, call);
    if (chosen === undefined) {
      lifecycle.skipped = skippedChannels(services, plan, call, lifecycle.paused);
      const other = await instead(lifecycle, exchange, last);
      if (other !== undefined) return other;
      throw last === undefined ? nothingFree(services, plan, call) : explain(last, model);
    }
    if (exchange.suits?.(chosen) === false) continue;
    const begun = now();
    const { channel } = chosen;
    lifecycle.lease = health?.enter(channel, model);
    lifecycle.upstream.begin();
    const serving = servingOf(chosen, lifecycle, begun);
    const answer = await ("open" in exchange
      ? openSession(exchange, serving)
      : attempt(services, chosen, exchange, lifecycle.upstream, serving));
    if (!("error" in answer)) {
      health?.succeeded(chosen, model, account);
      keepSession(services, call, plan, chosen);
      for (const failure of failures) health?.servedElsewhere(failure.chosen, model, failure.error, account);
      return answer;
    }
    lifecycle.lease?.leave();
    const gone = lifecycle.gone();
    if (gone !== undefined) {
      // We cancelled after the request was sent, so the provider may have worked on it. A request it rejected
      // costs nothing, and neither does one that this node does not finish: nothing was delivered.
      const { isCancelled, isInterrupted } = lifecycle.upstream;
      if (isCancelled && !isInterrupted && books === "charge") {
        lifecycle.chosen = chosen;
        await lifecycle.settle({
          outcome: "client-left",
          reported: undefined,
          delivered: { narrow: 0, wide: 0 },
        });
      }
      throw gone;
    }
    const failure = asKeyFailure(answer.error, DisableChannelKeywords, call);
    lifecycle.noteAttempt(chosen, begun, errorForOperators(failure, chosen));
    last = errorForClients(failure, chosen);
    keepOtherKeys(plan, chosen, last, call.pin);
    failures.push({ chosen, error: last });
    lifecycle.skipped = skippedChannels(services, plan, call, lifecycle.paused);
    health?.failed(chosen, model, last, {
      account,
      cooldownSeconds: RetryCooldownSeconds,
      mayDisable: AutomaticDisableChannelEnabled && channel.autoDisable,
    });
    if (mayRetry(last, lifecycle.attempts.length, now() - call.startedAt, budget)) continue;
    const other = await instead(lifecycle, exchange, last);
    if (other !== undefined) return other;
    throw explain(last, model);
  }
}

/** Asks the other nodes for the session's target. Undefined when there is nothing to wait for. */
function learnSession(services: RelayServices, plan: Plan, call: ReceivedCall): Promise<void> | undefined {
  const session = sessionKey(plan, call);
  return session === undefined ? undefined : services.affinity.learn(session);
}

/** Binds the session's next call to the same target. */
function keepSession(
  services: RelayServices,
  call: ReceivedCall,
  plan: Plan,
  { channel, key, backup }: PricedTarget,
): void {
  const session = backup || !channel.sessionAffinity ? undefined : sessionKey(plan, call);
  if (session !== undefined) services.affinity.keep(session, { channel: channel.id, key: key?.id });
}

/** Returns the response without a target, for a call that records nothing. */
async function instead<Answer extends object>(
  lifecycle: CallBill,
  { otherwise }: Pick<Exchange<Answer>, "otherwise">,
  last: UpstreamError | undefined,
): Promise<Answer | undefined> {
  const answer = otherwise?.(last);
  if (answer !== undefined) await lifecycle.pass({ outcome: "complete", status: 200 });
  return answer;
}

/** Records a call that was rejected before it was planned. */
export function noteRefusal(services: RelayServices, call: ReceivedCall, error: GatewayError): void {
  const lifecycle = new CallBill(services, call);
  lifecycle.modelKnown = services.candidates.find(call.caller.group, call.model).length > 0;
  lifecycle.refuse(error);
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
