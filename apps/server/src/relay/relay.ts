import type { UpstreamError } from "#dialects/ir.ts";
import { mayUseModel } from "#domain/tokens/scope.ts";
import { GatewayError } from "#errors.ts";
import { attempt, transportFailure } from "./attempt.ts";
import { readBody } from "./body.ts";
import type { Answer, ChatCall, RelayServices } from "./call.ts";
import { Flight } from "./flight.ts";
import { type Chosen, makePlan, nextChoice, nothingFree, type Plan } from "./plan.ts";
import { explain, mayRetry } from "./retry.ts";
import { openStream } from "./stream.ts";

/**
 * The journey of one chat call, from a decoded request to an answer that is paid for. Knows dialects, channels and
 * the ledger; never sees HTTP server objects, so a test or a job can make the journey too.
 */
export async function relayChat(services: RelayServices, call: ChatCall): Promise<Answer> {
  const flight = new Flight(services, call);
  let plan: Plan;
  try {
    if (!mayUseModel(call.caller, call.request.model))
      throw new GatewayError(
        "model_not_allowed",
        `This API key may not use the model "${call.request.model}".`,
        {
          param: "model",
        },
      );
    plan = makePlan(services, call, flight.estimate);
    flight.modelKnown = true;
    await services.ledger.reserve({
      requestId: call.requestId,
      userId: call.caller.userId,
      tokenId: call.caller.tokenId,
      amount: plan.worstCase,
      tokenAmount: call.caller.unlimited ? 0n : plan.worstCase,
    });
  } catch (error) {
    flight.refuse(error);
    throw error;
  }
  try {
    return await serve(services, call, plan, flight);
  } catch (error) {
    await flight.fail(error);
    throw error;
  }
}

async function serve(services: RelayServices, call: ChatCall, plan: Plan, flight: Flight): Promise<Answer> {
  const { RetryTimes, RetryTimeOut, RetryCooldownSeconds, AutomaticDisableChannelEnabled } =
    services.settings.current();
  const budget = { times: RetryTimes, withinMs: RetryTimeOut * 1_000 };
  const { model } = call.request;
  let last: UpstreamError | undefined;
  while (true) {
    const chosen = nextChoice(services, plan, call.request, call.pin);
    if (chosen === undefined)
      throw last === undefined ? nothingFree(services, plan, model) : explain(last, model);
    const begun = Date.now();
    const answer = await tryChannel(services, call, chosen, flight, begun);
    const { channel } = chosen;
    if (!("error" in answer)) {
      services.health.succeeded(channel.id);
      return answer;
    }
    if (call.signal.aborted) {
      // The vendor was already at work for it.
      flight.chosen = chosen;
      await flight.settle({ outcome: "client-left", vendor: undefined, delivered: { narrow: 0, wide: 0 } });
      throw new GatewayError("invalid_request", "The client left.", { status: 499 });
    }
    last = answer.error;
    flight.noteAttempt(chosen, begun, last);
    services.health.failed(channel.id, model, last, {
      cooldownSeconds: RetryCooldownSeconds,
      mayDisable: AutomaticDisableChannelEnabled && channel.autoDisable,
    });
    if (!mayRetry(last, flight.attempts.length, Date.now() - call.startedAt, budget))
      throw explain(last, model);
  }
}

async function tryChannel(
  services: RelayServices,
  call: ChatCall,
  chosen: Chosen,
  flight: Flight,
  begun: number,
): Promise<Answer | { error: UpstreamError }> {
  const tried = await attempt(services, call, chosen);
  if (!tried.ok) return { error: tried.error };
  const headers = answerHeaders(tried.response.headers, tried.dropped);
  flight.chosen = chosen;
  try {
    if (call.request.stream) {
      const opened = await openStream(call, tried, flight);
      if ("error" in opened) return opened;
      flight.noteAttempt(chosen, begun, undefined);
      return { kind: "stream", headers, frames: opened.frames };
    }
    const read = await readBody(call, tried);
    if ("error" in read) return read;
    flight.firstByteAt ??= Date.now();
    flight.noteAttempt(chosen, begun, undefined);
    await flight.settle({ outcome: "complete", vendor: read.usage, delivered: read.tally });
    return { kind: "body", headers, body: read.body };
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

/** A vendor's request id helps its support desk; everything else of its headers stays here. */
function answerHeaders(
  upstream: Record<string, string | string[] | undefined>,
  dropped: readonly string[],
): Record<string, string> {
  const headers: Record<string, string> = {};
  const id = upstream["x-request-id"] ?? upstream["request-id"];
  if (typeof id === "string") headers["x-upstream-request-id"] = id;
  if (dropped.length > 0) headers["x-gateway-dropped"] = dropped.join(", ");
  return headers;
}
