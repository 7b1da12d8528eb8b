import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import type { PriceInForce } from "#domain/pricing/pricing.ts";
import { GatewayError, invalidRequest } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { decompressed } from "#platform/content-coding.ts";
import { type StreamedBody, TransportError, type UpstreamResponse } from "#platform/http.ts";
import type { Outgoing } from "#providers/provider.ts";
import { errorText, transportFailure } from "#relay/core/ask.ts";
import type { Answer, Chosen, Pieces } from "#relay/core/call.ts";
import type { Call } from "#relay/core/call.ts";
import { answerHeaders } from "#relay/core/exchange.ts";
import { CallLifecycle, type Passed } from "#relay/core/lifecycle.ts";
import { primed } from "#relay/core/pieces.ts";
import { namedChannel } from "#relay/core/plan.ts";
import { explain } from "#relay/core/retry.ts";
import { forClients } from "#relay/core/scrub.ts";
import { send } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** A call that a vendor answers for its own account: nobody reads it on the way, and nobody pays for it here. */
export interface PassedCall extends Call {
  method: Outgoing["method"];
  /** The channel that the caller named. */
  channelId: number;
  /** OpenAI's path, and its query with the `?`. */
  path: string;
  query: string;
  /** Those of the client that its vendor may see. */
  forward: Record<string, string>;
  body: StreamedBody | null;
}

/**
 * What a vendor keeps for one account (files, batches, assistants): only the channel that the caller names can answer
 * for it, so nothing is chosen, tried again or priced. Bytes pass both ways unread. It must never speak for or against
 * a channel: a key may be forbidden files and be good for every model.
 */
export async function passThrough(services: RelayServices, call: PassedCall): Promise<Answer> {
  const lifecycle = new CallLifecycle(services, call);
  let chosen: Chosen;
  try {
    lifecycle.upstream.begin();
    chosen = chosenBy(services, call);
    // Holds no points, but the token's place among its calls at once.
    const { requestId, caller } = call;
    const holder = { requestId, userId: caller.userId, tokenId: caller.tokenId };
    await services.ledger.reserve({ ...holder, amount: 0n, tokenAmount: 0n });
  } catch (error) {
    lifecycle.refuse(error);
    throw error;
  }
  services.open.set(call.requestId, lifecycle);
  lifecycle.chosen = chosen;
  try {
    return await ask(services, call, chosen, lifecycle);
  } catch (error) {
    await lifecycle.fail(error);
    throw error;
  }
}

const FREE: PriceInForce = {
  model: "",
  versionId: 0,
  type: "times",
  input: "0",
  output: "0",
  extras: {},
  tiers: [],
};

function chosenBy(services: RelayServices, { channelId, caller, needs }: PassedCall): Chosen {
  const channel = namedChannel(services, channelId);
  if (!channel.provider.endpoints.includes(needs))
    throw invalidRequest(
      `Channel ${channelId} is an account at ${channel.provider.label}, which keeps no files, batches or assistants in OpenAI's way.`,
    );
  return {
    channel,
    // What was given to one key's account, another's may not know: it is always the same.
    key: channel.keys[0],
    group: caller.group,
    backup: false,
    groupRatio: "0",
    upstreamModel: "",
    billedModel: "",
    price: FREE,
  };
}

async function ask(
  services: RelayServices,
  call: PassedCall,
  chosen: Chosen,
  lifecycle: CallLifecycle,
): Promise<Answer> {
  const begun = now();
  let response: UpstreamResponse;
  try {
    response = await send(services, chosen, {
      method: call.method,
      path: call.path + call.query,
      headers: call.forward,
      body: call.body,
      signal: lifecycle.upstream.signal,
      progress: lifecycle.upstream,
      asCompressed: true,
    });
  } catch (error) {
    const failure = transportFailure(error);
    lifecycle.noteAttempt(chosen, begun, failure);
    throw lifecycle.gone() ?? explain(failure, "");
  }
  const { status } = response;
  lifecycle.firstByteAt = now();
  const error = status < 400 ? undefined : refusedBy(response);
  lifecycle.noteAttempt(chosen, begun, error);
  // The client hears the vendor's own words; the log, which may be read by others, only what kind of refusal it was.
  if (error !== undefined) {
    const read = decompressed(response);
    // Read before the call is closed, which cancels what is still under way.
    const text = await errorText(read);
    await lifecycle.fail(new GatewayError(explain(error, "").code, error.message, { status }));
    const { "content-length": _length, ...headers } = read.headers;
    return bytes(status, headers, refusalOf(text, chosen));
  }
  return bytes(status, response.headers, await primed(pass(call, lifecycle, response)));
}

function bytes(status: number, headers: UpstreamResponse["headers"], chunks: Pieces<Buffer>): Answer {
  return { kind: "bytes", status, headers: { ...passed(headers), ...answerHeaders(headers, []) }, chunks };
}

/** The provider's own words, without what they quote of the channel. */
async function* refusalOf(text: string, chosen: Chosen): Pieces<Buffer> {
  yield Buffer.from(forClients(text, chosen));
}

function refusedBy({ status, headers }: UpstreamResponse): UpstreamError {
  const { kind } = dialects["openai-chat"].decodeError(status, "", headers);
  const message = `The upstream answered with status ${status}.`;
  // What is not found here is no model.
  return { kind: kind === "not-found" ? "bad-request" : kind, message, status };
}

/** Everything as it comes. Nothing is charged, so nothing has to wait for a bill. */
async function* pass(call: PassedCall, lifecycle: CallLifecycle, response: UpstreamResponse): Pieces<Buffer> {
  let outcome: Passed["outcome"] = "client-left";
  try {
    yield NOTHING;
    yield* response.chunks();
    outcome = "complete";
  } catch (error) {
    if (!(error instanceof TransportError)) lifecycle.defect(error);
    if (lifecycle.gone() === undefined) outcome = "upstream-died";
    throw error;
  } finally {
    await lifecycle.pass({ outcome, status: response.status, content: `relay:${call.path}` });
  }
}

const NOTHING = Buffer.alloc(0);

/** Between two neighbours only, about the vendor's own host, or said by us already. */
const kept =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|alt-svc|strict-transport-security|access-control-.*|x-ratelimit-.*|x-request-id|x-oneapi-request-id)$/;

function passed(headers: UpstreamResponse["headers"]): Record<string, string> {
  const named = [headers["connection"] ?? []].flat().flatMap((names) => names.toLowerCase().split(/\s*,\s*/));
  const through: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !kept.test(name) && !named.includes(name))
      through[name] = Array.isArray(value) ? value.join(", ") : value;
  return through;
}
