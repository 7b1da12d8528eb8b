import type { UpstreamError } from "#dialects/ir.ts";
import type { ReserveInput } from "#domain/ledger/steps.ts";
import { mayUseModel } from "#domain/tokens/scope.ts";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import { ask, type Encoded, type Failed, transportFailure } from "./ask.ts";
import type { Call, Chosen } from "./call.ts";
import { asKeyFailure } from "./key-evidence.ts";
import { CallLifecycle } from "./lifecycle.ts";
import { makePlan, type Plan } from "./plan.ts";
import { explain, mayRetry } from "./retry.ts";
import { keepOtherKeys, nextChoice, nothingFree, pausedChannels } from "./route.ts";
import { errorForClients, errorForOperators } from "./scrub.ts";
import type { RelayServices } from "./services.ts";

/** One attempt that a target serves. */
export interface Serving {
  readonly chosen: Chosen;
  readonly lifecycle: CallLifecycle;
  /** Milliseconds since 1970. */
  readonly begun: number;
  /** There is an answer: from now on the call was served by this target. */
  accept(): void;
}

/** One kind of call: what a target is sent, and how its answer is read. Everything else is the same for all kinds. */
export interface Exchange<Answer extends object, Sent extends Encoded = Encoded> {
  /** Called once the least that the call costs is reserved; true when it changed the call's estimate. */
  prepare?(plan: Plan): Promise<boolean>;
  /** Pure. */
  encode(target: Chosen): Sent;
  /** An answer whose bill is closed or will be with its last piece, or why there is none. */
  read(response: UpstreamResponse, sent: Sent, serving: Serving): Promise<Answer | Failed>;
}

/** A kind of call that opens a session instead of reading one response. */
export interface SessionExchange<Session extends object> {
  prepare?(plan: Plan): Promise<boolean>;
  open(serving: Serving): Promise<Session | Failed>;
}

/**
 * The journey of one call, from a known caller to an answer that is paid for: plan, reserve, try channels, settle.
 * Knows channels and the ledger; never sees HTTP server objects, so a test or a job can make the journey too.
 */
export async function relay<Answer extends object, Sent extends Encoded = Encoded>(
  services: RelayServices,
  call: Call,
  exchange: Exchange<Answer, Sent> | SessionExchange<Answer>,
): Promise<Answer> {
  const lifecycle = new CallLifecycle(services, call);
  let isReserved = false;
  try {
    requireModel(call);
    let plan = makePlan(services, call);
    lifecycle.modelKnown = true;
    call.estimate = plan.estimate;
    // Watched from before the reservation on: a change in between is seen by one of the two.
    lifecycle.upstream.begin();
    await services.ledger.reserve(reservationOf(call, plan));
    services.open.set(call.requestId, lifecycle);
    isReserved = true;
    if ((await exchange.prepare?.(plan)) === true) {
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

function reservationOf(call: Call & { background?: boolean }, { worstCase }: Plan): ReserveInput {
  const { requestId, caller } = call;
  return {
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    amount: worstCase,
    tokenAmount: caller.unlimited ? 0n : worstCase,
    own: call.background === true,
  };
}

/** Throws `model_not_allowed`. */
export function requireModel({ caller, model }: Call): void {
  if (mayUseModel(caller, model)) return;
  throw new GatewayError("model_not_allowed", `This API key may not use the model "${model}".`, {
    param: "model",
  });
}

async function attempt<Answer extends object, Sent extends Encoded>(
  services: RelayServices,
  exchange: Exchange<Answer, Sent> | SessionExchange<Answer>,
  serving: Serving,
): Promise<Answer | Failed> {
  const { chosen, lifecycle } = serving;
  try {
    if ("open" in exchange) return await exchange.open(serving);
    const sent = exchange.encode(chosen);
    const asked = await ask(services, chosen, sent, lifecycle.upstream);
    return "error" in asked ? asked : await exchange.read(asked.response, sent, serving);
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

function servingOf(chosen: Chosen, lifecycle: CallLifecycle, begun: number): Serving {
  return {
    chosen,
    lifecycle,
    begun,
    accept() {
      lifecycle.chosen = chosen;
      lifecycle.firstByteAt ??= now();
      lifecycle.noteAttempt(chosen, begun, undefined);
    },
  };
}

async function serve<Answer extends object, Sent extends Encoded>(
  services: RelayServices,
  call: Call,
  plan: Plan,
  lifecycle: CallLifecycle,
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
  const { model } = call;
  const account = call.caller.userId;
  const failures: { chosen: Chosen; error: UpstreamError }[] = [];
  let last: UpstreamError | undefined;
  lifecycle.paused = pausedChannels(services, plan, call);
  while (true) {
    // No vendor is at work for it: there is nothing to pay for.
    const goneBefore = lifecycle.gone();
    if (goneBefore !== undefined) throw goneBefore;
    const chosen = nextChoice(services, plan, call);
    if (chosen === undefined)
      throw last === undefined ? nothingFree(services, plan, call) : explain(last, model);
    const begun = now();
    const { channel } = chosen;
    lifecycle.lease = services.health.enter(channel, model);
    lifecycle.upstream.begin();
    const answer = await attempt(services, exchange, servingOf(chosen, lifecycle, begun));
    if (!("error" in answer)) {
      services.health.succeeded(chosen, model, account);
      for (const failure of failures)
        services.health.servedElsewhere(failure.chosen, model, failure.error, account);
      return answer;
    }
    lifecycle.lease.leave();
    const gone = lifecycle.gone();
    if (gone !== undefined) {
      // Cancelled here after it was sent: the vendor was at work for it. What it refused itself costs nothing.
      if (lifecycle.upstream.isCancelled) {
        lifecycle.chosen = chosen;
        await lifecycle.settle({
          outcome: "client-left",
          vendor: undefined,
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
    services.health.failed(chosen, model, last, {
      account,
      cooldownSeconds: RetryCooldownSeconds,
      mayDisable: AutomaticDisableChannelEnabled && channel.autoDisable,
    });
    if (!mayRetry(last, lifecycle.attempts.length, now() - call.startedAt, budget))
      throw explain(last, model);
  }
}

/** Writes down a call that was turned away before its journey began. */
export function noteRefusal(services: RelayServices, call: Call, error: GatewayError): void {
  const lifecycle = new CallLifecycle(services, call);
  lifecycle.modelKnown = services.candidates.find(call.caller.group, call.model).length > 0;
  lifecycle.refuse(error);
}

/** A vendor's request id helps its support desk; everything else of its headers stays here. */
export function answerHeaders(
  upstream: Record<string, string | string[] | undefined>,
  dropped: readonly string[],
): Record<string, string> {
  const headers: Record<string, string> = {};
  const id = upstream["x-request-id"] ?? upstream["request-id"];
  if (typeof id === "string") headers["x-upstream-request-id"] = headerText(id);
  if (dropped.length > 0) headers["x-gateway-dropped"] = headerText(dropped.join(", "));
  return headers;
}

/** What says of a JSON answer that passes as bytes how it is to be read. */
export function jsonHeaders({ headers }: Pick<UpstreamResponse, "headers">): Record<string, string> {
  const length = headers["content-length"];
  return {
    "content-type": "application/json; charset=utf-8",
    ...(typeof length === "string" ? { "content-length": length } : {}),
  };
}

/** Names of fields are the caller's own text; what a header cannot hold would break the answer. */
function headerText(text: string): string {
  return text.slice(0, MAX_HEADER).replaceAll(/[^\x20-\x7e]/g, "?");
}

const MAX_HEADER = 2_000;
